"""Tests of the cards of the training page."""
