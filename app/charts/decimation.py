"""A curve thinned out to what a screen can show: one column a pixel that keeps each low and high."""

from __future__ import annotations

import math
from typing import NamedTuple

from core.records.time_series import Curve


class Column(NamedTuple):
    """The lowest and highest value around the time ``at``."""

    at: float
    low: float
    high: float

    @property
    def middle(self) -> float:
        """The value through which the line is drawn."""
        return (self.low + self.high) / 2


def columns(curve: Curve, begin: float, end: float, width: int) -> list[Column]:
    """The columns that have a value, oldest first.

    They are cut at multiples of their own width in time, not of the begin: so a peak keeps its shape
    while the picture moves on.
    """
    step, total = curve.step_seconds, len(curve.lows)
    if total == 0 or end <= begin or width < 1 or not step > 0:
        return []
    first = max(0, math.floor((begin - curve.begin) / step))
    last = min(total, math.ceil((end - curve.begin) / step))
    group = max(1, math.ceil((end - begin) / step / width))
    if group == 1:
        return _single(curve, first, last)
    return _grouped(curve, first, last, group)


def _single(curve: Curve, first: int, last: int) -> list[Column]:
    begin, step = curve.begin + curve.step_seconds / 2, curve.step_seconds
    pairs = zip(range(first, last), curve.lows[first:last], curve.highs[first:last], strict=True)
    return [Column(begin + index * step, low, high) for index, low, high in pairs if low == low]


def _grouped(curve: Curve, first: int, last: int, group: int) -> list[Column]:
    found: list[Column] = []
    step, lows, highs = curve.step_seconds, curve.lows, curve.highs
    offset = round(curve.begin / step)
    start = first
    while start < last:
        stop = min(last, start + group - (offset + start) % group)
        present = [value for value in lows[start:stop] if value == value]
        if present:
            high = max([value for value in highs[start:stop] if value == value])
            middle = curve.begin + (start + stop) / 2 * step
            found.append(Column(middle, min(present), high))
        start = stop
    return found


def segments(found: list[Column], longest_gap_seconds: float) -> list[list[Column]]:
    """The columns, cut wherever no value was known for longer than that."""
    whole: list[list[Column]] = []
    for column in found:
        if not whole or column.at - whole[-1][-1].at > longest_gap_seconds:
            whole.append([])
        whole[-1].append(column)
    return whole


def nearest(found: list[Column], at: float, within_seconds: float) -> Column | None:
    """The column closest to that time, unless it is further away than that."""
    closest = min(found, key=lambda column: abs(column.at - at), default=None)
    return closest if closest is not None and abs(closest.at - at) <= within_seconds else None
