"""The training page and its parts."""
