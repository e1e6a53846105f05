"""Peers of one run whose engines have different versions of PyTorch."""
