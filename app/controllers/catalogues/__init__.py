"""Catalogues of runs as the window keeps them: read while their page is open, trusted once a person has agreed."""
