"""The sending end of an upload test: no more on its way than the line carries in a moment, timed by what has arrived.

Sockets, p2pd and routers take in what a slow line has not carried yet, so the time in which something could be *sent*
tells nothing. Each chunk ends with random bytes that only whoever has received it can send back.
"""

from __future__ import annotations

import asyncio
import bisect
import os
import statistics
import time
from collections import deque
from collections.abc import AsyncIterator, Callable

from hivemind.proto import runtime_pb2

CHUNK_BYTES = 2**14
RECEIPT_BYTES = 16  # at the end of a chunk
MAX_BYTES = 2**22  # of one upload
FIRST_BYTES = 2**16  # may be on their way before the speed of the line is known
MAX_UNDERWAY_BYTES = 2**20
UNDERWAY_SECONDS = 0.5  # what the line carries in so long may be on its way; it must be longer than a round trip
MIN_RECEIPTS = 4  # of which a speed is made
MOST_SPEEDUP = 4.0  # of the second half over the whole time; by TCP's slow start it is less than 3
_BITS = 8


class PacedUpload:
    """An upload for so many ``seconds`` at the most; `chunks` are sent, each is answered by a receipt to `confirm`."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._began, self._seconds = clock, clock(), seconds
        self._expected: deque[bytes] = deque()
        self._has_receipt = asyncio.Event()
        self._sent_bytes = 0
        self._arrivals: list[float] = []  # when each receipt has come

    async def chunks(self) -> AsyncIterator[runtime_pb2.ExpertRequest]:
        """What is sent, in turn, as the receipts come."""
        filling = os.urandom(CHUNK_BYTES - RECEIPT_BYTES)  # nothing on the way can compress it
        while self._sent_bytes < MAX_BYTES and self._clock() - self._began < self._seconds:
            if self._underway_bytes + CHUNK_BYTES > self._may_be_underway:
                self._has_receipt.clear()
                await self._has_receipt.wait()
                continue
            receipt = os.urandom(RECEIPT_BYTES)
            self._expected.append(receipt)
            self._sent_bytes += CHUNK_BYTES
            yield runtime_pb2.ExpertRequest(metadata=filling + receipt)

    def confirm(self, receipt: bytes) -> None:
        """The next chunk has arrived; raises ValueError for a receipt that is not that chunk's."""
        if not self._expected or self._expected.popleft() != receipt:
            raise ValueError("that is not what was sent")
        self._arrivals.append(self._clock())
        self._has_receipt.set()

    def bits_per_second(self) -> float | None:
        """The speed in the second half of the time, after TCP's slow start; ``None`` where too little has arrived.

        It is the slope of a straight line through the arrivals (least squares), since several come at once; no more
        than `MOST_SPEEDUP` times the speed over the whole time, as receipts that were held back come all at once.
        """
        count = len(self._arrivals)
        if count < MIN_RECEIPTS:
            return None
        half = (self._began + self._arrivals[-1]) / 2
        first = min(bisect.bisect_left(self._arrivals, half), count - MIN_RECEIPTS)
        try:
            slope = statistics.linear_regression(self._arrivals[first:], range(first, count)).slope
        except statistics.StatisticsError:  # all at the same time
            return None
        whole = count / (self._arrivals[-1] - self._began)
        return min(slope, MOST_SPEEDUP * whole) * CHUNK_BYTES * _BITS

    @property
    def _underway_bytes(self) -> int:
        return len(self._expected) * CHUNK_BYTES

    @property
    def _may_be_underway(self) -> float:
        arrived, seconds = len(self._arrivals) * CHUNK_BYTES, self._clock() - self._began
        carried = arrived * UNDERWAY_SECONDS / seconds if seconds > 0 else 0.0
        return max(FIRST_BYTES, min(carried, MAX_UNDERWAY_BYTES))
