"""Which group of local SGD steps, and that no two of them part."""
