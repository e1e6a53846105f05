"""The figures of a fleet over the last 24 hours, one point a minute: what charts and sparklines draw."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from core.fleet.snapshot import FleetSnapshot

KEPT_SECONDS = 24 * 3600.0
POINT_SECONDS = 60.0
CORRECTED_SECONDS = 300.0  # by which a clock is only corrected
_MOST_POINTS = round(KEPT_SECONDS / POINT_SECONDS) + 1
_BLOCKS = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True)
class Point:
    """The figures at a time, in seconds since 1970."""

    at: float
    peers: int
    samples_per_second: float
    loss: float | None


class FleetHistory:
    """The last figures of each minute; ``points`` by rising time, none older than a day before the last."""

    def __init__(self, snapshots: Iterable[FleetSnapshot] = ()) -> None:
        self.points: deque[Point] = deque(maxlen=_MOST_POINTS)
        self._was_set_back = False
        for snapshot in snapshots:
            self.add(snapshot)

    def add(self, snapshot: FleetSnapshot) -> None:
        """Note the figures of a moment; those of an earlier one than the last, as of a clock set back, are left out.

        Where two in a row are earlier by more than ``CORRECTED_SECONDS``, those of the future are left out instead.
        """
        totals = snapshot.totals
        point = Point(snapshot.at, totals.peers, totals.samples_per_second, snapshot.loss)
        is_set_back = bool(self.points) and point.at < self.points[-1].at - CORRECTED_SECONDS
        while is_set_back and self._was_set_back and self.points and self.points[-1].at > point.at:
            self.points.pop()
        self._was_set_back = is_set_back
        if self.points and point.at < self.points[-1].at:
            return
        if self.points and point.at // POINT_SECONDS == self.points[-1].at // POINT_SECONDS:
            self.points.pop()
        self.points.append(point)
        while self.points[0].at < point.at - KEPT_SECONDS:
            self.points.popleft()


def sparkline(values: Iterable[float], width: int = 32) -> str:
    """The last ``width`` values as a line of blocks, from the lowest to the highest; empty without two values."""
    shown = list(values)[-width:]
    if len(shown) < 2:
        return ""
    low, high = min(shown), max(shown)
    scale = (len(_BLOCKS) - 1) / (high - low) if high > low else 0.0
    return "".join(_BLOCKS[round((value - low) * scale)] for value in shown)
