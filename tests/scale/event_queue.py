"""A queue of things that will happen, in the order of their times: all that a discrete-event simulation needs.

There are so few kinds of events that a heap does, without a library such as SimPy.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable


class EventQueue:
    """Calls what was scheduled; ``now`` is the simulated time in seconds. Of two at one time the older comes first."""

    def __init__(self) -> None:
        self.now = 0.0
        self._numbers = itertools.count()
        self._heap: list[tuple[float, int, Callable[[], None]]] = []

    def schedule(self, at: float, act: Callable[[], None]) -> None:
        """Have ``act`` called at that time, which is not before now."""
        assert at >= self.now, "nothing happens in the past"
        heapq.heappush(self._heap, (at, next(self._numbers), act))

    def run_until(self, end: float) -> None:
        """Let everything happen up to that time."""
        while self._heap and self._heap[0][0] <= end:
            self.now, _, act = heapq.heappop(self._heap)
            act()
        self.now = end
