"""A peer's part in a run with experts: which it hosts, how it reaches all, and what it tells of that."""
