"""Ring buffers of one time series: the lowest and highest value in each step of time, at several resolutions.

Like the round-robin archives of RRDtool (https://oss.oetiker.ch/rrdtool/doc/rrdcreate.en.html), they take the same
room after a year as after a day. Unlike there, every column knows which step of time it is for, so nothing is ever
moved, cleared or filled in: a clock that jumps, however far, costs only the columns that it writes over.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

MISSING = math.nan
_EMPTY_SLOT = -(2**63)


@dataclass(frozen=True)
class Resolution:
    """The columns of a ring: so many of ``step_seconds`` each that they reach back ``span_seconds``."""

    step_seconds: int
    capacity: int

    @property
    def span_seconds(self) -> int:
        """The seconds that a full ring reaches back, the column under way not counted."""
        return self.step_seconds * (self.capacity - 1)

    def bucket(self, at: float) -> int:
        """The number of the column that a time lies in, counted from 1970."""
        return int(at // self.step_seconds)


RESOLUTIONS = (
    Resolution(1, 601),  # 10 minutes
    Resolution(3, 601),  # 30 minutes
    Resolution(20, 1081),  # 6 hours
    Resolution(60, 1441),  # a day
    Resolution(300, 1441),  # 5 days
    Resolution(1_800, 1441),  # 30 days
    Resolution(10_800, 1441),  # half a year
    Resolution(64_800, 1441),  # 3 years
    Resolution(388_800, 1441),  # 17 years; its ring then goes on for ever
)


class Column(NamedTuple):
    """The lowest and highest value in one step of time; the one a whole ring later has the same slot."""

    slot: int
    bucket: int
    low: float
    high: float


@dataclass
class _Window:
    """The columns that were last asked for; those before ``fresh_until`` have not changed since."""

    first: int
    lows: array[float]
    highs: array[float]
    fresh_until: int


class RingBuffer:
    """The columns of one resolution; takes memory for those that were written, not for all it could hold."""

    def __init__(self, resolution: Resolution) -> None:
        self.resolution = resolution
        self.is_loaded = False
        self._origin: int | None = None
        self._buckets = array("q")
        self._lows = array("d")
        self._highs = array("d")
        self._unsaved = bytearray()
        self._window: _Window | None = None

    def add(self, at: float, value: float) -> None:
        """Add a finite value; several in one column make its low and its high."""
        self.add_points([(at, value)])

    def add_points(self, points: Iterable[tuple[float, float]]) -> None:
        """Add finite values, each with its time; those of one column that follow each other are written at once."""
        column, low, high = None, 0.0, 0.0
        for at, value in points:
            bucket = self.resolution.bucket(at)
            if bucket == column:
                low, high = min(low, value), max(high, value)
            else:
                if column is not None:
                    self._put(column, low, high)
                column, low, high = bucket, value, value
        if column is not None:
            self._put(column, low, high)

    def merge(self, columns: Sequence[tuple[int, float, float]]) -> None:
        """Merge (bucket, low, high) as they were saved; what has been added since wins over them."""
        self.is_loaded = True
        self._window = None
        if not columns:
            return
        first, last = min(columns)[0], max(columns)[0]
        origin, capacity = first if self._origin is None else self._origin, self.resolution.capacity
        self._origin = origin
        self._make_room(capacity - 1 if origin > first else min(last - origin, capacity - 1))
        for bucket, low, high in columns:
            slot = (bucket - origin) % capacity
            former = self._buckets[slot]
            if former == bucket:
                low, high = min(low, self._lows[slot]), max(high, self._highs[slot])
            if former in (_EMPTY_SLOT, bucket):
                self._buckets[slot], self._lows[slot], self._highs[slot] = bucket, low, high

    def window(self, first: int, count: int) -> tuple[array[float], array[float]]:
        """The lows and highs of ``count`` columns from bucket ``first`` on; NaN where there is nothing."""
        lows, highs, stale = self._still_fresh(first, count)
        buckets, origin, capacity = self._buckets, self._origin or 0, self.resolution.capacity
        for bucket in range(stale, first + count):
            slot = (bucket - origin) % capacity
            is_there = slot < len(buckets) and buckets[slot] == bucket
            lows[bucket - first] = self._lows[slot] if is_there else MISSING
            highs[bucket - first] = self._highs[slot] if is_there else MISSING
        self._window = _Window(first, lows, highs, first + count)
        return lows[:], highs[:]

    def take_unsaved(self, most: int) -> list[Column]:
        """The columns that have changed since they were last taken; at most ``most``."""
        taken: list[Column] = []
        slot = self._unsaved.find(1)
        while slot >= 0 and len(taken) < most:
            self._unsaved[slot] = 0
            bucket = self._buckets[slot]
            kept_at = bucket % self.resolution.capacity
            taken.append(Column(kept_at, bucket, self._lows[slot], self._highs[slot]))
            slot = self._unsaved.find(1, slot)
        return taken

    def forget_saving(self) -> None:
        """Mark all columns as changed, so that they are taken once more."""
        for slot, bucket in enumerate(self._buckets):
            self._unsaved[slot] = bucket != _EMPTY_SLOT

    @property
    def is_saved(self) -> bool:
        """Whether no column has changed since it was last taken."""
        return 1 not in self._unsaved

    def _put(self, bucket: int, low: float, high: float) -> None:
        if self._origin is None:
            self._origin = bucket
        slot = (bucket - self._origin) % self.resolution.capacity
        if slot >= len(self._buckets):
            self._make_room(slot)
        former = self._buckets[slot]
        if former == bucket:
            low, high = min(low, self._lows[slot]), max(high, self._highs[slot])
            if (low, high) == (self._lows[slot], self._highs[slot]):
                return
        self._buckets[slot], self._lows[slot], self._highs[slot] = bucket, low, high
        self._unsaved[slot] = 1
        self._invalidate(bucket)
        if former != bucket:
            self._invalidate(former)

    def _make_room(self, slot: int) -> None:
        missing = max(0, slot + 1 - len(self._buckets))
        self._buckets.extend(array("q", [_EMPTY_SLOT]) * missing)
        self._lows.extend(array("d", [MISSING]) * missing)
        self._highs.extend(array("d", [MISSING]) * missing)
        self._unsaved.extend(bytes(missing))

    def _invalidate(self, bucket: int) -> None:
        """The last window is no longer right from that bucket on."""
        window = self._window
        if window is not None and bucket >= window.first:
            window.fresh_until = min(window.fresh_until, bucket)

    def _still_fresh(self, first: int, count: int) -> tuple[array[float], array[float], int]:
        """Arrays of that length, and the bucket from which on they are yet to be filled."""
        window = self._window
        empty = array("d", [MISSING])
        if window is None or len(window.lows) != count or not 0 <= first - window.first < count:
            return empty * count, empty * count, first
        gone = first - window.first
        lows = window.lows[gone:] + empty * gone
        highs = window.highs[gone:] + empty * gone
        return lows, highs, max(first, min(window.fresh_until, window.first + count))
