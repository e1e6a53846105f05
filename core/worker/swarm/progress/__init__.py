"""What the peers of a run tell each other about how far they are."""
