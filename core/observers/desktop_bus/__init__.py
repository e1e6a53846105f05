"""What other programs tell over D-Bus, read without a desktop's toolkit: sessions, power, network, games, films."""
