"""What the commands of an organiser are typed with."""
