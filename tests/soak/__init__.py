"""A soak: one organiser, many volunteers, and everything that can happen to a computer at home."""
