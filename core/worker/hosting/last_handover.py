"""How long a host stays once a run is over, so that its leader collects what the experts there have learned."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from typing import Protocol

from core.worker.experts.block import ExpertId

HANDOVER_SECONDS = 45.0  # at the most; after the end of a run all leave within a minute
ANEW_SECONDS = 60.0  # without a question, after which the run has gone on meanwhile


class LeavingHost(Protocol):
    """The part of an `ExpertHost` that knows what the run's leader was sent."""

    @property
    def not_handed_over(self) -> Collection[ExpertId]: ...


class LastHandover:
    """Asked again and again once the run is over; what the host takes since the first time does not keep it."""

    def __init__(self, host: LeavingHost | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._host, self._clock = host, clock
        self._began = self._asked = -ANEW_SECONDS
        self._own: frozenset[ExpertId] = frozenset()

    def is_needed(self) -> bool:
        """Whether the host is to stay: some of its experts have taken steps that the leader has not collected yet."""
        if self._host is None:
            return False
        now, left = self._clock(), self._host.not_handed_over
        if now - self._asked >= ANEW_SECONDS:
            self._began, self._own = now, frozenset(left)
        self._asked = now
        return now - self._began < HANDOVER_SECONDS and not self._own.isdisjoint(left)
