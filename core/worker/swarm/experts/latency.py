"""How long to wait for a host: as its earlier answers have taken, and as TCP waits for its acknowledgements."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass
from types import TracebackType

FIRST_SECONDS = 4.0  # before anything is known of a host, which may have to be dialled first
LEAST_SECONDS = 2.0  # computers do other things, too
MOST_SECONDS = 4.0  # so that a host that is gone costs less than five seconds
LOOK_SECONDS = 0.25  # between two looks at whether this process has stood still, by more than as much
JUST_BEFORE_SECONDS = 0.001
_GAIN, _VARIATION_GAIN, _VARIATIONS = 1 / 8, 1 / 4, 4


@dataclass
class RetransmissionTimeout:
    """Smoothed latency and its variation, in seconds; RFC 6298, section 2."""

    latency: float | None = None
    variation: float = 0.0

    def see(self, seconds: float) -> None:
        """An answer has taken so long."""
        if self.latency is None:
            self.latency, self.variation = seconds, seconds / 2
            return
        self.variation += _VARIATION_GAIN * (abs(self.latency - seconds) - self.variation)
        self.latency += _GAIN * (seconds - self.latency)

    @property
    def seconds(self) -> float:
        """After which an answer is not waited for."""
        if self.latency is None:
            return FIRST_SECONDS
        return min(MOST_SECONDS, max(LEAST_SECONDS, self.latency + _VARIATIONS * self.variation))


class AwakeTimeout:
    """As ``asyncio.timeout``, of the time in which this process runs; it has ``stood_still`` for so many seconds more.

    A computer sleeps, or does much else. What was answered meanwhile is read after that, when a time-out of asyncio is
    over: every host would count as away.
    """

    def __init__(self, seconds: float) -> None:
        self.stood_still, self._limit = 0.0, asyncio.timeout(seconds)
        self._next_look: asyncio.TimerHandle | None = None

    async def __aenter__(self) -> AwakeTimeout:
        self._loop = asyncio.get_running_loop()
        await self._limit.__aenter__()
        self._look_later()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._next_look is not None:
            self._next_look.cancel()
        await self._limit.__aexit__(kind, error, traceback)

    def _look_later(self) -> None:
        """Look at the latest just before the end: of what is due after a standstill, the earliest is done first."""
        end, now = self._limit.when(), self._loop.time()
        assert end is not None
        due = min(now + LOOK_SECONDS, end - JUST_BEFORE_SECONDS)
        if due > now:
            self._next_look = self._loop.call_at(due, self._look, now, due)

    def _look(self, before: float, due: float) -> None:
        now, end = self._loop.time(), self._limit.when()
        if now - due > LOOK_SECONDS and end is not None:
            self.stood_still += now - before
            with contextlib.suppress(RuntimeError):  # it is over already
                self._limit.reschedule(end + now - before)
        self._look_later()
