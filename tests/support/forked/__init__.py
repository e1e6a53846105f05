"""Processes forked from one that has torch and hivemind loaded."""
