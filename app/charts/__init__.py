"""Live charts: definitions, decimation, axes, painting, panel."""
