"""Sentences about what Workerbee does."""
