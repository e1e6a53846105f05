"""The owner's download limit: a token bucket that the worker and the processes which it forks share.

Who has received something takes it from the bucket, and reads on only when that is paid for. Meanwhile the buffers
between here and the sender fill up, TCP's window closes, and the sender waits: so the limit holds on the average, and
what buffers hold comes first. No sender is asked to help.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import time
from collections.abc import Callable, Iterator
from typing import Any

BURST_SECONDS = 0.25
FRAMES = 1.06
"""Bytes that come over the line for each one that is read: frames, and the headers of IP, TCP and libp2p or HTTP."""
SMALL_BYTES = 4096
"""A message of hivemind's that is no larger does not wait: it is a word of the protocol, and no tensor."""
_LOOK_SECONDS = 0.25  # between two looks at whether there is another limit


class DownloadBudget:
    """A token bucket in shared memory; one that is made before a fork is the same on both sides of it."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        context = multiprocessing.get_context("fork")
        self._clock = clock
        self._limit: Any = context.RawValue("q", 0)
        self._paid_until: Any = context.Value("d", 0.0)
        self._fetched: Any = context.Value("q", 0)

    @property
    def limit(self) -> int | None:
        """What may be received in a second, in bytes; ``None`` for as much as comes."""
        return int(self._limit.value) or None

    @limit.setter
    def limit(self, bytes_a_second: int | None) -> None:
        if bytes_a_second != self.limit:
            with self._paid_until.get_lock():
                self._limit.value, self._paid_until.value = bytes_a_second or 0, self._clock()

    def capped(self, bytes_a_second: float, share: float) -> float:
        """That rate, or such a share of the limit where that is less: no sender can be asked for more."""
        limit = self.limit
        return bytes_a_second if limit is None else min(bytes_a_second, share * limit)

    def paid_at(self, size_bytes: int) -> float:
        """Take what has been received from the bucket; when it is paid for, as the clock tells."""
        now, limit = self._clock(), self.limit
        if limit is None:
            return now
        with self._paid_until.get_lock():
            earliest = max(self._paid_until.value, now - BURST_SECONDS)
            self._paid_until.value = earliest + size_bytes * FRAMES / limit
            return float(self._paid_until.value)

    @property
    def fetched_bytes(self) -> int:
        """What was fetched from the web since the worker began, which no counter of hivemind's messages sees."""
        return int(self._fetched.value)

    def pauses(self, size_bytes: int) -> Iterator[None]:
        """Count what was fetched; sleep a little for each step, until it is paid for, or there is another limit."""
        with self._fetched.get_lock():
            self._fetched.value += size_bytes
        for seconds in self._pauses(self.limit, self.paid_at(size_bytes)):
            time.sleep(seconds)
            yield

    async def until_paid(self, size_bytes: int) -> None:
        """Wait as `pauses` does, for an event loop; small messages do not."""
        limit, paid_at = self.limit, self.paid_at(size_bytes)
        if size_bytes > SMALL_BYTES:
            for seconds in self._pauses(limit, paid_at):
                await asyncio.sleep(seconds)

    def _pauses(self, limit: int | None, paid_at: float) -> Iterator[float]:
        while self.limit == limit and (seconds := paid_at - self._clock()) > 0:
            yield min(seconds, _LOOK_SECONDS)


_shared: list[DownloadBudget] = []


def share_download_limit() -> None:
    """Begin without any limit, for this process and those that it forks from now on."""
    _shared[:] = [DownloadBudget()]


def downloads() -> DownloadBudget:
    """The bucket of this worker; a process that shares none, such as a test, has one of its own."""
    if not _shared:
        share_download_limit()
    return _shared[0]
