"""How a worker takes part in a closed run: its ticket or invitation, and whom else it lets in."""
