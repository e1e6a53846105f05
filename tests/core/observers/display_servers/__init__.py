"""What display servers tell: a real X server without a screen, real windows, and words that no good program says."""
