"""Layouts that know nothing of what they lay out."""
