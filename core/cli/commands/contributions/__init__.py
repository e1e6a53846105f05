"""Commands about what this computer has contributed."""
