"""The hours of the week in which the computer is free, in the owner's local time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

_HOUR = timedelta(hours=1)
_MOST_HOURS = 8 * 24  # a week, and what daylight-saving changes add


def is_free_hour(hours: Sequence[str], at: datetime) -> bool:
    """Whether the hour of ``at`` is one of the free ones; ``hours`` has a line of 24 characters for each weekday."""
    return hours[at.weekday()][at.hour] == "x"


def next_free_hour(hours: Sequence[str], at: datetime) -> datetime | None:
    """When the next free hour after this one begins, in the zone of ``at``; ``None`` where there is none in the week.

    An hour that a daylight-saving change skips does not come, and one that it doubles comes twice.
    """
    try:
        begins = at.astimezone(UTC)
        for _ in range(_MOST_HOURS):
            begins += _HOUR - timedelta(minutes=at.minute, seconds=at.second, microseconds=at.microsecond)
            at = begins.astimezone(at.tzinfo)
            if is_free_hour(hours, at):
                return at
    except OverflowError:  # the last week that a date can name
        pass
    return None
