"""The client and the worker of Workerbee, without a window."""
