"""Texts about catalogues of runs: why one is refused, how its runs fit."""
