"""Optimizer, averagers, matchmaking, all-reduce, state download, progress tracker."""
