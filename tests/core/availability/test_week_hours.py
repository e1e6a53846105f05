"""The owner's hours are those of the clock on the wall, also in the nights in which it is moved."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.availability.local_time import after, next_midnight
from core.availability.week_hours import is_free_hour, next_free_hour

BERLIN = ZoneInfo("Europe/Berlin")
NEW_YORK = ZoneInfo("America/New_York")
NEVER = ("." * 24,) * 7
SUNDAYS_MONTHS = ((2026, 3, 29, BERLIN), (2026, 10, 25, BERLIN), (2026, 3, 8, NEW_YORK), (2026, 11, 1, NEW_YORK))


def only(*hours: int) -> tuple[str, ...]:
    """Those hours of each day."""
    return ("".join("x" if hour in hours else "." for hour in range(24)),) * 7


def utc(at: datetime | None) -> datetime:
    """The same moment where clocks are never moved."""
    assert at is not None
    return at.astimezone(UTC)


def test_days_begin_on_monday() -> None:
    hours = (*("." * 24,) * 6, "." * 23 + "x")
    assert is_free_hour(hours, datetime(2026, 11, 29, 23, 59, tzinfo=BERLIN))
    assert not is_free_hour(hours, datetime(2026, 11, 30, 0, 0, tzinfo=BERLIN))
    begins = next_free_hour(hours, datetime(2026, 11, 29, 23, 59, tzinfo=BERLIN))
    assert begins == datetime(2026, 12, 6, 23, tzinfo=BERLIN)


def test_without_a_free_hour_there_is_no_next_one() -> None:
    assert next_free_hour(NEVER, datetime(2026, 11, 25, 14, tzinfo=BERLIN)) is None


@pytest.mark.parametrize(("zone", "day", "utc_hour"), [(BERLIN, (3, 29), 1), (NEW_YORK, (3, 8), 7)])
def test_an_hour_that_is_skipped_does_not_come(zone: ZoneInfo, day: tuple[int, int], utc_hour: int) -> None:
    before = datetime(2026, *day, 1, 30, tzinfo=zone)
    assert utc(next_free_hour(only(3), before)) == datetime(2026, *day, utc_hour, tzinfo=UTC)
    assert next_free_hour(only(2), before) == datetime(2026, *day, 2, tzinfo=zone) + timedelta(days=1)


@pytest.mark.parametrize(("zone", "day", "doubled", "utc_hour"), [(BERLIN, (10, 25), 2, 0), (NEW_YORK, (11, 1), 1, 5)])
def test_an_hour_that_is_doubled_comes_twice(zone: ZoneInfo, day: tuple[int, int], doubled: int, utc_hour: int) -> None:
    first = next_free_hour(only(doubled), datetime(2026, *day, 0, 30, tzinfo=zone))
    assert utc(first) == datetime(2026, *day, utc_hour, tzinfo=UTC)
    assert first is not None and is_free_hour(only(doubled), first + timedelta(minutes=59))
    second = next_free_hour(only(doubled), first)
    assert utc(second) == utc(first) + timedelta(hours=1)
    third = next_free_hour(only(doubled), datetime(2026, *day, doubled, 30, tzinfo=zone, fold=1))
    assert utc(third) == utc(first) + timedelta(hours=25)


@pytest.mark.parametrize(("year", "month", "day", "zone"), SUNDAYS_MONTHS)
@given(hours=st.tuples(*[st.text("x.", min_size=24, max_size=24)] * 7), minutes=st.integers(0, 4 * 24 * 60))
def test_the_next_free_hour_is_the_first_free_minute_after_this_hour(
    year: int, month: int, day: int, zone: ZoneInfo, hours: tuple[str, ...], minutes: int
) -> None:
    at = datetime(year, month, day, tzinfo=UTC) - timedelta(days=2) + timedelta(minutes=minutes)
    minute = at + timedelta(minutes=60 - at.minute)
    for _ in range(9 * 24):
        if is_free_hour(hours, minute.astimezone(zone)):
            break
        minute += timedelta(hours=1)
    found = next_free_hour(hours, at.astimezone(zone))
    assert (found is None and hours == NEVER) or utc(found) == minute


def test_the_last_days_of_all_dates_are_no_accident() -> None:
    assert next_free_hour(NEVER, datetime(9999, 12, 31, 23, 30, tzinfo=BERLIN)) is None
    assert after(datetime(9999, 12, 31, 23, 30, tzinfo=NEW_YORK), 1e9) is None
    assert next_midnight(datetime(9999, 12, 31, 23, 30, tzinfo=NEW_YORK)).year == 9999


@pytest.mark.parametrize(("year", "month", "day", "zone"), SUNDAYS_MONTHS)
def test_a_day_ends_at_midnight_however_long_it_is(year: int, month: int, day: int, zone: ZoneInfo) -> None:
    midnight = next_midnight(datetime(year, month, day, 0, 30, tzinfo=zone))
    assert (midnight.day, midnight.hour) == ((datetime(year, month, day) + timedelta(days=1)).day, 0)


def test_a_midnight_that_is_skipped_is_the_first_moment_after_it() -> None:
    santiago = ZoneInfo("America/Santiago")
    midnight = next_midnight(datetime(2026, 9, 5, 12, tzinfo=santiago))
    assert (midnight.day, midnight.hour) == (6, 1)


def test_seconds_pass_while_the_clock_is_moved() -> None:
    evening = datetime(2026, 3, 29, 1, 59, tzinfo=BERLIN)
    later = after(evening, 120)
    assert later is not None and (later.hour, later.minute) == (3, 1)
