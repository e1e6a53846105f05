"""The join page and its parts."""
