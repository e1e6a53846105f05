"""The mirror of a local-sgd run: what the organiser's peer writes, and what a newcomer believes of it."""
