"""Texts of what was contributed: its table and its sum."""
