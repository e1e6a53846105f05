"""What extends hivemind's averaging: progress of a swarm, epochs, rounds and their processes."""
