"""A watch that remembers, for tests of whatever fetches files."""

from __future__ import annotations

import threading

from core.errors import ErrorKind


class Watching:
    """Notes what it is told; ``leave`` ends the work as a worker does that leaves."""

    def __init__(self) -> None:
        self.told: list[tuple[int, int]] = []
        self.warned: list[tuple[ErrorKind, str]] = []
        self.has_warned = threading.Event()
        self.is_leaving = False

    def progress(self, received_bytes: int, total_bytes: int) -> None:
        """Note it."""
        self.told.append((received_bytes, total_bytes))

    def check(self) -> None:
        """Raises KeyboardInterrupt once we leave."""
        if self.is_leaving:
            raise KeyboardInterrupt

    def warn(self, problem: ErrorKind, detail: str) -> None:
        """Note it."""
        self.warned.append((problem, detail))
        self.has_warned.set()
