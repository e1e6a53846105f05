"""The review page and its parts."""
