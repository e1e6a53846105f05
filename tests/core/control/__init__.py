"""Tests of `core.control`."""
