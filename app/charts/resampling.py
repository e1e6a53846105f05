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
    found = [(place, index) for index, place in _places_of(curve, places)]
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


def _places_of(curve: Curve, places: Curve) -> list[tuple[int, float]]:
    """Which columns of the curve have a value and a place, and the middle of that place's column."""
    known = [index for index, low in enumerate(curve.lows) if low == low]
    offset, ratio = (curve.begin - places.begin) / places.step_seconds, curve.step_seconds / places.step_seconds
    of_places = [(index, math.floor((index + 0.5) * ratio + offset)) for index in known]
    middles = [
        (index, (places.lows[at] + places.highs[at]) / 2) for index, at in of_places if 0 <= at < len(places.lows)
    ]
    return [(index, middle) for index, middle in middles if middle == middle]
