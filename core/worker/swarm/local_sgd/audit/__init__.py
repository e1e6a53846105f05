"""Double reduction: some parts of an exchange are averaged once more by another peer, and the two averages compared."""
