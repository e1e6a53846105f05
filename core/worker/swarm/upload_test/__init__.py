"""How fast this computer's line sends: a short upload to a peer of the run, which confirms what has arrived."""
