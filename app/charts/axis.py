"""The scale of an axis, with ticks at values that a person would choose."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QDate, QDateTime, QLocale

translate = QCoreApplication.translate
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_MINUTE, _HOUR, _DAY = 60.0, 3600.0, 86400.0
_TIME_STEPS = (
    *(each * _MINUTE for each in (1, 2, 5, 10, 15, 30)),
    *(each * _HOUR for each in (1, 2, 3, 6, 12)),
    *(each * _DAY for each in (1, 2, 7, 14, 28, 91, 182, 365, 730, 1825)),
)


@dataclass(frozen=True)
class Scale:
    """The values from the picture's bottom to its top, and those that are marked."""

    bottom: float
    top: float
    ticks: tuple[float, ...]

    def fraction(self, value: float) -> float:
        """How far up a value is: 0 at the bottom, 1 at the top."""
        return (value - self.bottom) / (self.top - self.bottom)


def scale(
    low: float, high: float, most: int, *, from_zero: bool, ceiling: float | None = None, whole: bool = False
) -> Scale:
    """A scale with at most about ``most`` marks that holds everything from ``low`` to ``high``."""
    bottom = min(0.0, low) if from_zero else low
    top = high if ceiling is None else max(high, ceiling)
    if top - bottom < 1e-12 * max(1.0, abs(top)):
        top, bottom = _widened(top, bottom, from_zero)
    step = _nice_step((top - bottom) / max(1, most))
    if whole:
        step = max(1.0, math.ceil(step))
    first, last = math.floor(bottom / step + 1e-9), math.ceil(top / step - 1e-9)
    ticks = tuple(index * step for index in range(first, last + 1))
    return Scale(ticks[0], ticks[-1], ticks)


def _widened(top: float, bottom: float, from_zero: bool) -> tuple[float, float]:
    """Some room around a curve that is flat; what is never negative gets none below zero."""
    room = abs(top) * 0.1 or 1.0
    if from_zero:
        return top + room, bottom
    return top + room, bottom - room if bottom < 0 else max(0.0, bottom - room)


def _nice_step(rough: float) -> float:
    magnitude: float = 10.0 ** math.floor(math.log10(rough))
    return next(each for each in _STEPS if each * magnitude >= rough * (1 - 1e-9)) * magnitude


def time_ticks(begin: float, end: float, most: int) -> list[tuple[float, str]]:
    """Times in between that are round on the person's own clock, and how they are written."""
    rough = (end - begin) / max(1, most)
    step = next((each for each in _TIME_STEPS if each >= rough), _TIME_STEPS[-1])
    offset = QDateTime.fromSecsSinceEpoch(int(end)).offsetFromUtc()
    first = math.ceil((begin + offset) / step)
    last = math.floor((end + offset) / step)
    times = [index * step - offset for index in range(first, last + 1)]
    return [(at, time_label(at, is_day=step >= _DAY)) for at in times]


def count_ticks(begin: float, end: float, most: int) -> list[float]:
    """Round counts between two, about so many at the most."""
    return [tick for tick in scale(begin, end, most, from_zero=False, whole=True).ticks if begin <= tick <= end]


def time_label(at: float, *, is_day: bool) -> str:
    """``15:30``, or ``21 Nov`` where days are marked."""
    when = QDateTime.fromSecsSinceEpoch(round(at))
    if is_day:
        return day_label(when.date())
    return QLocale().toString(when.time(), QLocale.FormatType.ShortFormat)


def day_label(date: QDate) -> str:
    """``21 Nov``, in the order and with the points of the language."""
    return QLocale().toString(date, translate("Graphs", "d MMM", "as QDate's toString has it"))
