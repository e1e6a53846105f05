"""Looks in the DHT that say what is known already, and what comes back."""
