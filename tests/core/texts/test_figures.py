"""Figures as people read them, in English and without Qt; tests/app/appearance has the other languages."""

from __future__ import annotations

import time
from datetime import datetime

import pytest

from core.texts import figures


@pytest.mark.parametrize(
    ("length_bytes", "text"),
    [(0, "0 bytes"), (999, "999 bytes"), (1000, "1.0 KB"), (4_710_000, "4.7 MB"), (999_960, "1.0 MB"),
     (12_884_901_888, "12.9 GB"), (3.2e15, "3,200.0 TB")],
)  # fmt: skip
def test_sizes_come_in_steps_of_a_thousand(length_bytes: int, text: str) -> None:
    assert figures.size(length_bytes) == text


def test_what_is_not_known_is_never_zero() -> None:
    assert figures.rate(None) == figures.loss(None) == figures.share(None) == "not known yet"
    assert figures.rate(float("nan")) == "not known yet"


def test_rates_have_the_digits_they_deserve() -> None:
    assert [figures.rate(each) for each in (0.0, 0.054, 0.44, 9.96, 512.4, 12_416.0)] == [
        "0/s",
        "0.054/s",
        "0.44/s",
        "10.0/s",
        "512/s",
        "12,416/s",
    ]


def test_small_numbers_can_be_told_apart() -> None:
    assert [figures.small(each) for each in (0.02, 0.04, 0.5, 0.06, 0.257)] == ["0.02", "0.04", "0.5", "0.06", "0.26"]
    assert [figures.small(each) for each in (0.005, 0.01, 0.015, 0.0161, 0.1)] == [
        "0.005",
        "0.01",
        "0.015",
        "0.016",
        "0.1",
    ]


def test_times_have_two_units_and_guesses_one() -> None:
    assert [figures.time(each) for each in (41, 200, 7500)] == ["41 s", "3 min 20 s", "2 h 5 min"]
    assert [figures.about(each) for each in (7, 38, 200, 7000)] == ["7 s", "40 s", "3 min", "2 h"]


def test_a_latency_is_in_milliseconds_below_a_second() -> None:
    assert [figures.latency(each) for each in (0.0004, 0.035, 1.24)] == ["0 ms", "35 ms", "1.2 s"]


def test_shares_are_never_rounded_to_all_or_none() -> None:
    assert [figures.share(each) for each in (0.0, 0.004, 0.42, 0.996, 1.0)] == [
        "0 %",
        "0.4 %",
        "42 %",
        "99.6 %",
        "100 %",
    ]


def test_a_loss_has_three_figures() -> None:
    assert [figures.loss(each) for each in (1.8349, 0.0512, 0.00012, 137.2, 0.0)] == [
        "1.83",
        "0.0512",
        "1.2e-04",
        "137",
        "0",
    ]


def test_energy_is_counted_as_a_bill_does() -> None:
    assert figures.energy(3600 * 310) == "310 Wh"
    assert figures.energy(3600 * 4200) == "4.2 kWh"


def test_a_time_of_another_day_comes_with_its_date() -> None:
    now = time.time()
    assert len(figures.clock(now)) == 5
    assert len(figures.clock(now + 3 * 86400)) > 10


def test_when_something_is_reads_well_in_a_sentence_on_this_day_and_on_another() -> None:
    today, earlier = time.time(), datetime(2026, 11, 24, 15, 30).timestamp()
    assert figures.moment(today) == f"at {figures.clock(today)}"
    assert figures.moment(earlier) == "2026-11-24 at 15:30"
