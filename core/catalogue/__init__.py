"""Catalogues: signed lists of runs that look for volunteers, published at an https address or in a file."""
