"""What an organiser does with runs that were published from here: list them, export their models."""
