"""How fast a peer may say that it computes: some times what most of the others that compute say of themselves."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable

MAX_SHARE = 4.0  # times the median speed of the others
LEAST_SPEED = 1e-6  # samples per second: less is told by keepers, and by who has not measured its own yet
MIN_OTHERS = 2  # that compute; of two peers nobody can say which one lies


class SpeedLimits:
    """The speeds, in samples per second, that are believed of the peers of a run which report these ``speeds``."""

    def __init__(self, speeds: Iterable[float]) -> None:
        self._speeds = sorted(speed for speed in speeds if speed > LEAST_SPEED)

    def limit(self, speed: float) -> float:
        """The highest that is believed of one whose own ``speed`` is among those; infinity if too few others compute.

        The median is the higher one of an even number.
        """
        computes = speed > LEAST_SPEED
        others = len(self._speeds) - computes
        if others < MIN_OTHERS:
            return math.inf
        middle = others // 2
        is_before = computes and bisect_left(self._speeds, speed) <= middle
        return MAX_SHARE * self._speeds[middle + is_before]
