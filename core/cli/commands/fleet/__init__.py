"""Who takes part in a run: listed once, watched live and written down, or shown again from a log."""
