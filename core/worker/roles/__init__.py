"""What a worker process can be: volunteer, organiser, dry run; and what volunteer and organiser share."""
