"""A peer that obeys what the organiser asks of all: pause, resume, drain, end, newer version, numbers, other data."""
