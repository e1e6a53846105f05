"""Where things lie on disk, and how a file is written (atomically), locked, bounded and logged."""
