"""A report of a problem for whoever can help: what is in it, and what is taken out so that it names nobody."""
