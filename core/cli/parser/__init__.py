"""argparse: what may be typed, as one frozen value per command."""
