"""Figures as people read them."""

from __future__ import annotations

UNKNOWN = "not known yet"


def size(length_bytes: float) -> str:
    """``4.7 MB``: bytes in steps of a thousand."""
    for unit in ("bytes", "KB", "MB", "GB"):
        if length_bytes < 999.95 or (unit == "bytes" and length_bytes < 1000):
            return f"{length_bytes:.0f} {unit}" if unit == "bytes" else f"{length_bytes:.1f} {unit}"
        length_bytes /= 1000
    return f"{length_bytes:.1f} TB"


def time(seconds: float) -> str:
    """``41 s``, ``3 min 20 s``, ``2 h 5 min``."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def count(number: int) -> str:
    """``12,416``."""
    return f"{number:,}"


def counted(number: int, noun: str) -> str:
    """``1 peer``, ``3 peers``."""
    return f"{count(number)} {noun}{'' if number == 1 else 's'}"


def rate(samples_per_second: float | None) -> str:
    """``512/s``; what is not known is never shown as zero."""
    if samples_per_second is None:
        return UNKNOWN
    return f"{samples_per_second:,.0f}/s" if samples_per_second >= 10 else f"{samples_per_second:.1f}/s"


def speed(samples_per_second: float) -> str:
    """``31 samples/s``."""
    digits = 0 if samples_per_second >= 10 else 1
    return f"{samples_per_second:,.{digits}f} samples/s"


def loss(value: float | None) -> str:
    """``1.83``."""
    return UNKNOWN if value is None else f"{value:.3g}" if value >= 0.01 else f"{value:.1e}"


def share(value: float | None) -> str:
    """``42 %``: a fraction of one; never rounded up to all or down to none."""
    if value is None:
        return UNKNOWN
    percent = value * 100
    return f"{percent:.1f} %" if 0 < percent < 1 or 99 < percent < 100 else f"{percent:.0f} %"
