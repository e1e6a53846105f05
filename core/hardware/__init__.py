"""GPUs and CPU: discovery, live monitoring, and whether a run fits."""
