"""A curve over time, drawn over another series in place of time: a loss over the samples that were learned from."""

from __future__ import annotations

import math
from array import array

from core.records.time_series import Curve

_STEPS = 720  # more than a chart has columns


def against(curve: Curve, places: Curve) -> Curve:
    """The curve over the values that ``places`` had at the same times; its begin and steps are in their unit.

    Values at whose time no place is known are left out. Where a run went back, as after a rollback, the lowest and the
    highest of both times are kept.
    """
    found = _places_of(curve, places)
    if not found:
        return Curve(0.0, 1.0, array("d"), array("d"))
    begin, end = min(found)[0], max(found)[0]
    step = (end - begin) / (_STEPS - 1) or 1.0
    lows, highs = array("d", [math.nan] * _STEPS), array("d", [math.nan] * _STEPS)
    for place, index in found:
        at = round((place - begin) / step)
        lows[at] = min(curve.lows[index], lows[at])
        highs[at] = max(curve.highs[index], highs[at])
    return Curve(begin - step / 2, step, lows, highs)


def _places_of(curve: Curve, places: Curve) -> list[tuple[float, int]]:
    """The places of the columns of the curve that have a value, and their numbers; a place is a column's middle."""
    offset, ratio = (curve.begin - places.begin) / places.step_seconds, curve.step_seconds / places.step_seconds
    known = ((index, math.floor((index + 0.5) * ratio + offset)) for index, low in enumerate(curve.lows) if low == low)
    middles = (((places.lows[at] + places.highs[at]) / 2, index) for index, at in known if 0 <= at < len(places.lows))
    return [(middle, index) for middle, index in middles if middle == middle]
