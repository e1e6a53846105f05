"""Texts for people that the command line and the window share: errors, figures, status, events, fit, engine, runs."""
