"""What local SGD learns from the same samples as peers that average at every step: simulated, without a network."""
