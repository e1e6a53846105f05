"""Every process-wide change to hivemind, applied in one place and checked against its version."""
