"""Mixtures of experts: the block, its training by whoever hosts it, the router, the layer; knows no network."""
