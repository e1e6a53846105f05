"""The runs that were published from here: their folders, and the checkpoints in them."""
