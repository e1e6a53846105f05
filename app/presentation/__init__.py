"""Values into translated words and formatted figures; no widget."""
