"""Making an engine: look up, download, assemble, smoke-test."""
