"""Experts on other computers: who hosts which, the RPC that computes and trains them, and the calls of a trainer."""
