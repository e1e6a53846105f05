"""Real peers whose organiser pauses, changes and ends the run for all."""
