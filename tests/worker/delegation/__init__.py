"""Calls to other processes, and what those processes may do."""
