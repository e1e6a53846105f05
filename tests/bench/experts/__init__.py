"""Measurements of runs with experts on other computers."""
