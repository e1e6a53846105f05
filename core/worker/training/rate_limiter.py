"""How gently the loop runs."""

from __future__ import annotations

import threading
import time

KEEPER_SAMPLES_PER_SECOND = 2.0


class RateLimiter:
    """Holds the loop to a number of samples a second; ``None`` is as fast as it goes."""

    def __init__(self, samples_per_second: float | None = None) -> None:
        self._samples_per_second = samples_per_second
        self._due = time.monotonic()

    def wait(self, samples: int, leaving: threading.Event) -> None:
        """Rest until the samples just computed are due, or until we leave."""
        if self._samples_per_second is None:
            return
        self._due = max(self._due, time.monotonic() - 1.0) + samples / self._samples_per_second
        leaving.wait(max(0.0, self._due - time.monotonic()))
