"""A peer that obeys what the organiser asks of all: pause, resume, drain, end, a newer version, changed numbers."""
