"""The device, its memory, and the optimizers; knows neither run nor swarm."""
