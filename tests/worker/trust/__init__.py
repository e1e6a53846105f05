"""What strangers claim of a run."""
