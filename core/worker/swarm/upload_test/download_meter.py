"""How fast the line receives: what has arrived in the fastest seconds of a newcomer's download. Nothing is sent for it.

Donors, their lines and their other newcomers may be slower than our line, so it receives at least this.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from core.worker.delegation.download_limit import DownloadBudget, downloads

WINDOW_SECONDS = 4.0
BUFFERED_BYTES = 2**18  # that may have come before the time in which they are read: of p2pd's buffers, and the system's
_BITS = 8


class DownloadMeter:
    """Told of what has been received, and when, it knows the fastest ``WINDOW_SECONDS`` of a download.

    Where the owner limits downloads, that limit would be measured: such seconds do not count. ``note`` and ``take`` may
    be called in two threads.
    """

    def __init__(self, budget: DownloadBudget | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._budget, self._clock = budget, clock
        self._seen = deque[tuple[float, int]]()
        self._fastest = 0.0

    def note(self, received_bytes: int, is_done: bool) -> None:
        """So much of a download has come so far; one that begins again has received less than before."""
        budget = self._budget or downloads()
        if budget.limit is not None or (self._seen and received_bytes < self._seen[-1][1]):
            self._seen.clear()
        now = self._clock()
        self._seen.append((now, received_bytes))
        while len(self._seen) > 2 and now - self._seen[1][0] >= WINDOW_SECONDS:
            self._seen.popleft()
        began, before = self._seen[0]
        if now - began >= WINDOW_SECONDS:
            speed = (received_bytes - before - BUFFERED_BYTES) * _BITS / (now - began)
            self._fastest = max(self._fastest, speed)
        if is_done:
            self._seen.clear()

    def take(self) -> float | None:
        """The bits per second of the fastest seconds since this was last asked; ``None`` where there were none."""
        fastest, self._fastest = self._fastest, 0.0
        return fastest if fastest > 0 else None
