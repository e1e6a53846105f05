"""Attacks on a swarm of honest peers, measured side by side with the same swarm without any."""
