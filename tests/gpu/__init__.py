"""The proof on a GPU: one command measures on a real NVIDIA GPU whatever else was only tried without one."""
