"""What an organiser does: write and check a run file, publish, block, list what was published, export its models."""
