"""One session of a volunteer or organiser: immutable state, reducer, restart policy, the Client."""
