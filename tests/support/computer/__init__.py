"""The computer of an owner, as a test wants it."""
