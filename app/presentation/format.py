"""Figures as people read them, in the language and with the separators of their own system."""

from __future__ import annotations

import math

from PySide6.QtCore import QCoreApplication, QDate, QDateTime, QLocale

from core.placeholders import fill_placeholders

translate = QCoreApplication.translate  # lupdate knows it by this name only
_SIZE_UNITS = ("KB", "MB", "GB", "TB")
_JOULES_PER_WATT_HOUR = 3600.0


def unknown() -> str:
    """What stands where a figure is not known: never a zero."""
    return translate("Figures", "not known yet")


def size(length_bytes: float) -> str:
    """``4.7 MB``: bytes in steps of a thousand."""
    if length_bytes < 1000:
        return translate("Figures", "%1 bytes").replace("%1", count(round(length_bytes)))
    exponent = min(int(math.log10(length_bytes) / 3), len(_SIZE_UNITS))
    if length_bytes / 1000**exponent >= 999.95 and exponent < len(_SIZE_UNITS):
        exponent += 1
    return f"{QLocale().toString(length_bytes / 1000**exponent, 'f', 1)} {_SIZE_UNITS[exponent - 1]}"


def rate(samples_per_second: float | None) -> str:
    """``512/s``; what is not known is never shown as zero."""
    if samples_per_second is None or math.isnan(samples_per_second):
        return unknown()
    return translate("Figures", "%1/s").replace("%1", number(samples_per_second))


def number(value: float) -> str:
    """``512``, ``4.7``: as many digits as it deserves."""
    return QLocale().toString(value, "f", 0 if abs(value) >= 10 or value == int(value) else 1)


def time(seconds: float) -> str:
    """``41 s``, ``3 min 20 s``, ``2 h 5 min``."""
    whole = max(0, round(seconds))
    if whole < 60:
        return _filled(translate("Figures", "%1 s"), whole)
    if whole < 3600:
        return _filled(translate("Figures", "%1 min %2 s"), whole // 60, whole % 60)
    return _filled(translate("Figures", "%1 h %2 min"), whole // 3600, whole % 3600 // 60)


def about(seconds: float) -> str:
    """``40 s``, ``3 min``, ``2 h``: one unit, for what is only guessed."""
    whole = max(0, round(seconds))
    if whole < 90:
        return _filled(translate("Figures", "%1 s"), whole if whole < 10 else round(whole, -1))
    if whole < 5400:
        return _filled(translate("Figures", "%1 min"), round(whole / 60))
    return _filled(translate("Figures", "%1 h"), round(whole / 3600))


def count(whole: int) -> str:
    """``12,416``."""
    return QLocale().toString(whole)


def share(value: float | None) -> str:
    """``42 %``: a fraction of one; never rounded up to all or down to none."""
    if value is None or math.isnan(value):
        return unknown()
    percent = value * 100
    digits = 1 if 0 < percent < 1 or 99 < percent < 100 else 0
    return translate("Figures", "%1 %").replace("%1", QLocale().toString(percent, "f", digits))


def loss(value: float | None) -> str:
    """``1.83``: three figures that count."""
    if value is None or math.isnan(value):
        return unknown()
    if value == 0 or abs(value) >= 1000:
        return QLocale().toString(value, "f", 0)
    if abs(value) < 0.01:
        return QLocale().toString(value, "e", 1)
    return QLocale().toString(value, "f", max(0, 2 - math.floor(math.log10(abs(value)))))


def energy(joules: float) -> str:
    """``310 Wh``, ``4.2 kWh``: what an electricity bill counts in."""
    watt_hours = joules / _JOULES_PER_WATT_HOUR
    if watt_hours < 1000:
        return f"{number(watt_hours)} Wh"
    return f"{QLocale().toString(watt_hours / 1000, 'f', 1)} kWh"


def clock(at: float) -> str:
    """``15:30``, as the system writes it; with the date where it is another day. ``at`` is time.time()."""
    when = QDateTime.fromSecsSinceEpoch(int(at))
    short = QLocale.FormatType.ShortFormat
    if when.date() == QDate.currentDate():
        return QLocale().toString(when.time(), short)
    return QLocale().toString(when, short)


def _filled(text: str, *numbers: int) -> str:
    return fill_placeholders(text, *map(count, numbers))
