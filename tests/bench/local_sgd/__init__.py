"""Rows of `make bench` about local SGD: codecs, memory, a slow peer, and whether base weights stay equal."""
