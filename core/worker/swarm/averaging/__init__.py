"""Optimizer, averagers, all-reduce, PowerSGD, state download and progress tracker of one run."""
