"""How the peers of a run hear of each other's progress."""
