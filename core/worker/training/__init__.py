"""The training loop and what it measures: trainer, checkpoint, micro-batch search, numeric checks,
contribution status.
"""
