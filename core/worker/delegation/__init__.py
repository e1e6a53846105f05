"""Privilege separation: a confined worker calls processes that may do more; one of them holds the network."""
