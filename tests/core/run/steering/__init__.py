"""What an organiser signs to steer a run."""
