"""Closed runs: tickets that their organiser signs, invitations that are redeemed for them, and where both are kept."""
