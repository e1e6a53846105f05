"""Aggregation of what several peers send, when one of them may lie."""
