"""Several devices of this computer in one run: a session for each, side by side."""
