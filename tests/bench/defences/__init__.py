"""What all defences against strangers cost an honest run."""
