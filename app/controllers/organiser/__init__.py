"""What an organiser does in the window: watching a fleet, and exporting what was published from here."""
