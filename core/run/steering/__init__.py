"""What an organiser signs to steer a run while it goes on: pause, drain, end, notice, oldest version, numbers, data."""
