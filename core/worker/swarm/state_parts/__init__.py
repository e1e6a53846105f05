"""A state in hashed parts, of which a newcomer takes some from each of several donors, at the same time."""
