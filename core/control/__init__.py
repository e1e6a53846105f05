"""The socket of the open window: where it is, what may be asked of it, and how to ask."""
