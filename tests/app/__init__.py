"""Tests of the window; they need PySide6 and pytest-qt."""
