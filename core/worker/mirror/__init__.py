"""The mirror of a local-sgd run: a folder on the web with the base weights, which newcomers need not ask peers for."""
