"""What the desktop tells of its user and its power: idle time, lock, battery, metered network, games, films."""
