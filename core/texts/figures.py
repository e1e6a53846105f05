"""Figures as people read them: sizes, rates, durations, shares, losses."""

from __future__ import annotations

import math

from core.placeholders import fill_placeholders
from core.texts.localization import installed, translate

_SIZE_UNITS = ("KB", "MB", "GB", "TB")
_JOULES_PER_WATT_HOUR = 3600.0


def unknown() -> str:
    """Return the text that stands where a figure is not known: never a zero."""
    return translate("Figures", "not known yet")


def size(length_bytes: float) -> str:
    """Return a length in bytes as ``4.7 MB``, in steps of a thousand."""
    if length_bytes < 1000:
        return fill_placeholders(translate("Figures", "%1 bytes"), count(round(length_bytes)))
    exponent = min(int(math.log10(length_bytes) / 3), len(_SIZE_UNITS))
    if length_bytes / 1000**exponent >= 999.95 and exponent < len(_SIZE_UNITS):
        exponent += 1
    return f"{installed().decimal(length_bytes / 1000**exponent, 1)} {_SIZE_UNITS[exponent - 1]}"


def rate(per_second: float | None) -> str:
    """Return samples per second as ``512/s``, or ``0.054/s``; what is not known is never shown as zero."""
    if per_second is None or math.isnan(per_second):
        return unknown()
    return fill_placeholders(translate("Figures", "%1/s"), amount(per_second))


def byte_rate(per_second: float) -> str:
    """Return bytes per second as ``4.7 MB/s``."""
    return fill_placeholders(translate("Figures", "%1/s"), size(per_second))


def number(value: float) -> str:
    """Return ``512`` or ``4.7``: one digit after the point only below ten."""
    return installed().decimal(value, 0 if abs(value) >= 10 or value == int(value) else 1)


def amount(value: float) -> str:
    """Return a number that is not negative as ``512``, ``4.7`` or ``0.054``: with two digits also below one."""
    return small(value) if 0 < value < 1 else number(value)


def small(value: float) -> str:
    """Return a number between zero and one with the first two digits that it has: ``0.5``, ``0.04``, ``0.015``."""
    digits = 1 - math.floor(math.log10(value))
    rounded = round(value, digits)
    while digits > 1 and round(rounded, digits - 1) == rounded:
        digits -= 1
    return installed().decimal(rounded, digits)


def time(seconds: float) -> str:
    """Return a duration in its two largest units: ``41 s``, ``3 min 20 s``, ``2 h 5 min``."""
    whole = max(0, round(seconds))
    if whole < 60:
        return _filled(translate("Figures", "%1 s"), whole)
    if whole < 3600:
        return _filled(translate("Figures", "%1 min %2 s"), whole // 60, whole % 60)
    return _filled(translate("Figures", "%1 h %2 min"), whole // 3600, whole % 3600 // 60)


def about(seconds: float) -> str:
    """Return an estimated duration in one unit: ``40 s``, ``3 min``, ``2 h``."""
    whole = max(0, round(seconds))
    if whole < 90:
        return _filled(translate("Figures", "%1 s"), whole if whole < 10 else round(whole, -1))
    if whole < 5400:
        return _filled(translate("Figures", "%1 min"), round(whole / 60))
    return _filled(translate("Figures", "%1 h"), round(whole / 3600))


def latency(seconds: float) -> str:
    """Return how long an answer takes: ``35 ms``, ``1.2 s``."""
    if seconds < 1:
        return _filled(translate("Figures", "%1 ms"), round(seconds * 1000))
    return fill_placeholders(translate("Figures", "%1 s"), installed().decimal(seconds, 1))


def count(whole: int) -> str:
    """Return a whole number as ``12,416``."""
    return installed().integer(whole)


def share(value: float | None) -> str:
    """Return a fraction of one as ``42 %``; it is never rounded up to all or down to none."""
    if value is None or math.isnan(value):
        return unknown()
    percent = value * 100
    digits = 1 if 0 < percent < 1 or 99 < percent < 100 else 0
    return fill_placeholders(translate("Figures", "%1 %"), installed().decimal(percent, digits))


def loss(value: float | None) -> str:
    """Return a loss with three significant figures: ``1.83``."""
    if value is None or math.isnan(value):
        return unknown()
    if value == 0 or abs(value) >= 1000:
        return installed().decimal(value, 0)
    if abs(value) < 0.01:
        return installed().scientific(value, 1)
    return installed().decimal(value, max(0, 2 - math.floor(math.log10(abs(value)))))


def energy(joules: float) -> str:
    """Return an energy in the unit of an electricity bill: ``310 Wh``, ``4.2 kWh``."""
    watt_hours = joules / _JOULES_PER_WATT_HOUR
    if watt_hours < 1000:
        return f"{number(watt_hours)} Wh"
    return f"{installed().decimal(watt_hours / 1000, 1)} kWh"


def power(watts: float) -> str:
    """Return a power as ``412 W``, ``12.4 kW``."""
    if watts < 10_000:
        return fill_placeholders(translate("Figures", "%1 W"), count(round(watts)))
    return fill_placeholders(translate("Figures", "%1 kW"), installed().decimal(watts / 1000, 1))


def money(amount: float, currency: str) -> str:
    """Return an amount of money as ``3.42 EUR``."""
    return f"{installed().decimal(amount, 2)} {currency}"


def clock(at: float) -> str:
    """Return a time of day, with the date if it is another day; ``at`` is in seconds of ``time.time()``."""
    return installed().time_of_day(at)


def moment(at: float) -> str:
    """Return when something is, for the middle of a sentence: ``at 15:30``, ``2026-11-24 at 15:30`` for another day."""
    date, time_of_day = installed().date_and_time(at)
    if not date:
        return fill_placeholders(translate("Figures", "at %1"), time_of_day)
    return fill_placeholders(translate("Figures", "%1 at %2"), date, time_of_day)


def _filled(text: str, *numbers: int) -> str:
    return fill_placeholders(text, *map(count, numbers))
