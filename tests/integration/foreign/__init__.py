"""Peers that we did not write, in the same run as ours."""
