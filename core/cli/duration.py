"""A time as a person types it: ``45s``, ``10m``, ``1h30m``."""

from __future__ import annotations

import re

_DURATION = re.compile(r"(?:(\d{1,4})d)?(?:(\d{1,4})h)?(?:(\d{1,5})m)?(?:(\d{1,6})s?)?")
_UNIT_SECONDS = (86400, 3600, 60, 1)


def parse_duration(text: str) -> float:
    """Its length in seconds; a number alone counts seconds. Raises ValueError for anything else."""
    match = _DURATION.fullmatch(text.strip().lower())
    seconds = (
        sum(int(part or 0) * unit for part, unit in zip(match.groups(), _UNIT_SECONDS, strict=True))
        if match
        else 0
    )
    if seconds <= 0:
        raise ValueError(f"{text!r} is no time; write it as 45s, 10m or 1h30m")
    return float(seconds)
