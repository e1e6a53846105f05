"""Real peers of a run whose experts volunteers host."""
