"""How fast counts grow: means over a window of time."""

from __future__ import annotations

import itertools
import time
from collections import deque
from collections.abc import Callable, Hashable, Mapping
from typing import Generic, TypeVar

_Key = TypeVar("_Key", bound=Hashable)


class WindowedCounts(Generic[_Key]):
    """Counts that grow, by key, as they were seen in the last ``seconds``; one that falls has begun anew."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds, self._clock = seconds, clock
        self._seen: deque[tuple[float, dict[_Key, int]]] = deque()

    def see(self, counts: Mapping[_Key, int]) -> None:
        """Take note of what the counts are now, and forget what is older than the window."""
        now = self._clock()
        self._seen.append((now, dict(counts)))
        while len(self._seen) > 2 and self._seen[1][0] <= now - self._seconds:
            self._seen.popleft()

    def growth(self, key: _Key) -> int:
        """By how much that count has grown within the window."""
        return sum(max(0, after - before) for before, after in itertools.pairwise(self._counts(key)))

    def rate(self, key: _Key) -> float | None:
        """How much that count grows in a second; ``None`` before it was seen twice."""
        times = [at for at, counts in self._seen if key in counts]
        if len(times) < 2 or times[-1] <= times[0]:
            return None
        return self.growth(key) / (times[-1] - times[0])

    def _counts(self, key: _Key) -> list[int]:
        return [counts[key] for _at, counts in self._seen if key in counts]
