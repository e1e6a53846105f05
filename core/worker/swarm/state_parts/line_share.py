"""The share of a donor's line that newcomers may take: the rest is for its rounds, whose end others wait for."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

SHARE, WHOLE = 0.5, 1.0
MIN_BITS_PER_SECOND = 500_000.0  # newcomers give up a donor that sends next to nothing
BURST_SECONDS = 0.25
_BITS = 8


class LineShare:
    """A token bucket for all newcomers together: SHARE of ``upload``, in bits per second, once that is known.

    ``WHOLE`` of it is for one who comes back to the run, and waits for little.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.upload: float | None = None
        self._clock, self._paid_until = clock, clock()

    def delay(self, size_bytes: int, share: float = SHARE) -> float:
        """The seconds to wait before so many bytes may be sent, which are taken from the share now."""
        if self.upload is None:
            return 0.0
        now = self._clock()
        rate = max(MIN_BITS_PER_SECOND, share * self.upload)
        self._paid_until = max(self._paid_until, now - BURST_SECONDS) + size_bytes * _BITS / rate
        return max(0.0, self._paid_until - now)

    async def wait(self, size_bytes: int, share: float = SHARE) -> None:
        """Wait until so many bytes may be sent."""
        if seconds := self.delay(size_bytes, share):
            await asyncio.sleep(seconds)
