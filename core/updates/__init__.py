"""Whether there is a newer Workerbee: asked now and then of whoever built this one, and fetched only by `update`."""
