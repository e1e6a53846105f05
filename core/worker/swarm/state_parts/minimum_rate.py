"""How little a donor may send: one that drips is left out, and another one is asked.

A home line of 56 kbit/s uploads 7,000 bytes a second. Its owner gives newcomers half of that, to two of them at a time:
1,750 bytes a second each, which must do where there is nobody else. So the floor is ``LEAST_BYTES_A_SECOND``, and
``USUAL_BYTES_A_SECOND`` as long as another donor may be faster. Five newcomers together have 62,500 bytes a second at
least of a line that has as much (``line_share.py``): none of those donors is left out.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterable, AsyncIterator

from hivemind.proto import averaging_pb2
from hivemind.utils.asyncio import aiter_with_timeout

from core.worker.delegation.download_limit import downloads
from core.worker.swarm.state_parts.arrivals import Arrivals

LEAST_BYTES_A_SECOND = 1_000.0
USUAL_BYTES_A_SECOND = 8_000.0
PERIOD_SECONDS = 120.0  # over which a rate is measured: a message of 64 KiB may take half a minute
LIMIT_PART = 0.25  # of the owner's download limit: exchanges take some of it


class SlowDonorError(Exception):
    """A donor sends so little that it is better to ask another one."""


class MinimumRate:
    """The floor of one donor's stream. The time in which nobody waits for the donor does not count.

    WORKAROUND H84: hivemind's downloads have a time limit for each message, and none for what is in it.
    """

    def __init__(self, least: float = LEAST_BYTES_A_SECOND) -> None:
        self._least, self._bytes, self._seconds = least, 0, 0.0

    def note(self, size_bytes: int, seconds: float) -> None:
        """So many bytes have come, after so long a wait. Raises SlowDonorError."""
        self._bytes += size_bytes
        self._seconds += seconds
        if self._seconds < PERIOD_SECONDS:
            return
        if self._bytes < downloads().capped(self._least, LIMIT_PART) * self._seconds:
            raise SlowDonorError(f"it has sent {self._bytes} bytes in {self._seconds:.0f} s")
        self._bytes, self._seconds = 0, 0.0


async def no_slower(
    messages: AsyncIterable[averaging_pb2.DownloadData], least: float, silence_seconds: float | None, arrivals: Arrivals
) -> AsyncIterator[averaging_pb2.DownloadData]:
    """A donor's messages, as long as they come that fast; the first one, before which it copies its state, may be late.

    Raises TimeoutError where the donor is silent for too long, and SlowDonorError.
    """
    rate: MinimumRate | None = None
    began = time.monotonic()
    async for message in aiter_with_timeout(messages, timeout=silence_seconds):
        size = arrivals.add(message)
        if rate is None:
            rate = MinimumRate(least)
        else:
            rate.note(size, time.monotonic() - began)
        yield message
        began = time.monotonic()
