"""Codecs of weight changes: how they are encoded when they are sent and in the round log."""
