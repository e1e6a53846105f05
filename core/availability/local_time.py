"""Steps in the owner's local time that are right across daylight-saving changes."""

from __future__ import annotations

from calendar import monthrange
from datetime import UTC, datetime, time, timedelta


def after(at: datetime, seconds: float) -> datetime | None:
    """The time so many seconds later, in the zone of ``at``; ``None`` beyond what a date can be.

    Plain addition would move the hands of the clock, which is something else in the night of a change.
    """
    try:
        return (at.astimezone(UTC) + timedelta(seconds=seconds)).astimezone(at.tzinfo)
    except (OverflowError, ValueError):
        return None


def next_month(at: datetime) -> datetime:
    """The first moment of the next month, in the zone of ``at``."""
    try:
        return next_midnight(at.replace(day=1) + timedelta(days=monthrange(at.year, at.month)[1] - 1))
    except OverflowError:
        return at


def next_midnight(at: datetime) -> datetime:
    """The first moment of the next day, in the zone of ``at``; where 0:00 is skipped, that is later."""
    try:
        midnight = datetime.combine(at.date() + timedelta(days=1), time(), at.tzinfo)
        return midnight.astimezone(UTC).astimezone(at.tzinfo)
    except OverflowError:
        return at
