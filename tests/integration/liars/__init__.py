"""Peers that lie to those who train with them."""
