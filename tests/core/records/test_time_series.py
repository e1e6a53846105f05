"""What the graphs draw: cheap at every age, kept across starts, and indifferent to clocks that jump."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.records.contribution_totals import ContributionDelta
from core.records.time_series import SERIES, Curve, History
from tests.support.checkout import ROOT

NOW = 1_800_000_000.0
MINUTE, HOUR, DAY = 60.0, 3_600.0, 86_400.0
PERIODS = (5 * MINUTE, 30 * MINUTE, 6 * HOUR, DAY, None)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "history.sqlite"


@pytest.fixture
def history(path: Path) -> Iterator[History]:
    history = opened(path)
    yield history
    history.close()


def opened(path: Path) -> History:
    """One that is in order."""
    history, aside = History.open(path)
    assert aside is None
    assert history.is_kept, history.trouble
    return history


def shown(curve: Curve) -> list[tuple[float, float, float]]:
    """Its columns, (begin, low, high), without the gaps."""
    return [
        (curve.begin + number * curve.step_seconds, low, curve.highs[number])
        for number, low in enumerate(curve.lows)
        if not math.isnan(low)
    ]


def test_what_was_noted_is_shown_at_once(history: History) -> None:
    history.record("run", "loss", NOW - 2, 3.0)
    history.record("run", "loss", NOW - 1, 2.0)
    assert shown(history.curve("run", "loss", 5 * MINUTE, NOW)) == [
        (NOW - 2, 3.0, 3.0),
        (NOW - 1, 2.0, 2.0),
    ]


def test_there_is_nothing_where_nothing_was_noted(history: History) -> None:
    for period in PERIODS:
        assert shown(history.curve("run", "loss", period, NOW)) == []


@pytest.mark.parametrize(
    ("period", "step"), [(5 * MINUTE, 1), (30 * MINUTE, 3), (6 * HOUR, 20), (DAY, 60), (5 * DAY, 300)]
)
def test_a_period_has_its_resolution_and_all_of_its_columns(history: History, period: float, step: int) -> None:
    history.record("run", "loss", NOW, 1.0)
    curve = history.curve("run", "loss", period, NOW)
    assert curve.step_seconds == step
    assert period / step <= len(curve.lows) <= period / step + 1
    assert curve.begin + len(curve.lows) * step > NOW
    assert shown(curve) == [(NOW, 1.0, 1.0)]


@pytest.mark.parametrize("age", [10, HOUR, DAY, 40 * DAY, 400 * DAY, 2_000 * DAY])
def test_all_of_it_reaches_back_to_the_first_value_with_few_columns(history: History, age: float) -> None:
    history.record("run", "epoch", NOW - age, 1.0)
    history.record("run", "loss", NOW, 2.0)
    curve = history.curve("run", "epoch", None, NOW)
    assert curve.begin <= NOW - age < curve.begin + curve.step_seconds
    assert len(curve.lows) <= 2_000
    assert [low for _, low, _ in shown(curve)] == [1.0]
    assert history.curve("run", "loss", None, NOW).begin == curve.begin, "curves of one run share their axis"


def test_low_and_high_of_a_long_time_are_the_extremes_of_its_seconds(history: History) -> None:
    for second in range(120):
        history.record("run", "my_rate", NOW + second, float(second % 7))
    assert shown(history.curve("run", "my_rate", DAY, NOW + 119)) == [(NOW, 0, 6), (NOW + 60, 0, 6)]


def test_runs_and_series_are_kept_apart(history: History) -> None:
    history.record("one", "loss", NOW, 1.0)
    history.record("two", "loss", NOW, 2.0)
    history.record("two", "accuracy", NOW, 0.5)
    assert [low for _, low, _ in shown(history.curve("one", "loss", None, NOW))] == [1.0]
    assert [low for _, low, _ in shown(history.curve("two", "loss", None, NOW))] == [2.0]
    assert [low for _, low, _ in shown(history.curve("two", "accuracy", None, NOW))] == [0.5]


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 10**400])
def test_what_is_no_number_is_not_taken(history: History, value: float) -> None:
    history.record("run", "loss", NOW, value)
    assert shown(history.curve("run", "loss", 5 * MINUTE, NOW)) == []


@pytest.mark.parametrize("at", [math.nan, math.inf, -math.inf, 0.0, -1e300, 1e300])
def test_what_is_no_time_is_not_taken(history: History, at: float) -> None:
    history.record("run", "loss", at, 1.0)
    for period in PERIODS:
        assert shown(history.curve("run", "loss", period, NOW)) == []


@pytest.mark.parametrize("period", [0.0, -5.0, math.inf, 1e300])
def test_no_period_whatever_is_an_error(history: History, period: float) -> None:
    history.record("run", "loss", NOW, 1.0)
    assert len(history.curve("run", "loss", period, NOW).lows) <= 2_000


def test_a_clock_set_back_by_hours_goes_on_at_once_and_loses_nothing(history: History) -> None:
    for second in range(60):
        history.record("run", "loss", NOW + second, 1.0)
    for second in range(60):
        history.record("run", "loss", NOW - 5 * HOUR + second, 2.0)
    seen_then = shown(history.curve("run", "loss", 5 * MINUTE, NOW - 5 * HOUR + 59))
    assert [low for _, low, _ in seen_then] == [2.0] * 60
    seen_later = shown(history.curve("run", "loss", 6 * HOUR, NOW + 59))
    assert [low for _, low, _ in seen_later] == [2.0] * 3 + [1.0] * 3


def test_a_clock_that_was_a_year_ahead_for_a_while_leaves_the_past_alone(history: History) -> None:
    for minute in range(600):
        history.record("run", "loss", NOW + minute * MINUTE, 1.0)
    history.record("run", "loss", NOW + 365 * DAY, 2.0)
    history.record("run", "loss", NOW + 600 * MINUTE, 1.0)
    curve = history.curve("run", "loss", DAY, NOW + 600 * MINUTE)
    assert len(shown(curve)) >= 600
    assert history.curve("run", "loss", None, NOW + 600 * MINUTE).step_seconds == 60


def test_now_before_the_beginning_is_no_error(history: History) -> None:
    history.record("run", "loss", NOW, 1.0)
    for period in PERIODS:
        assert shown(history.curve("run", "loss", period, NOW - DAY)) == []


def test_history_survives_a_restart(path: Path) -> None:
    history = opened(path)
    for second in range(90):
        history.record("run", "loss", NOW + second, float(second))
    before = [shown(history.curve("run", "loss", period, NOW + 90)) for period in PERIODS]
    history.close()
    history = opened(path)
    assert [shown(history.curve("run", "loss", period, NOW + 90)) for period in PERIODS] == before
    history.close()


def test_a_column_that_a_restart_falls_into_keeps_both_halves(path: Path) -> None:
    for values in ((5.0, 1.0), (3.0, 9.0)):
        history = opened(path)
        for value in values:
            history.record("run", "loss", NOW, value)
        history.close()
    history = opened(path)
    assert shown(history.curve("run", "loss", DAY, NOW)) == [(NOW, 1.0, 9.0)]
    history.close()


def test_what_is_noted_before_the_past_is_asked_for_is_joined_with_it(path: Path) -> None:
    history = opened(path)
    history.record("run", "loss", NOW, 1.0)
    history.close()
    history = opened(path)
    history.record("run", "loss", NOW + 1, 2.0)
    assert shown(history.curve("run", "loss", 5 * MINUTE, NOW + 1)) == [(NOW, 1.0, 1.0), (NOW + 1, 2.0, 2.0)]
    history.close()


def test_many_runs_are_not_all_kept_in_memory_and_none_is_forgotten(history: History) -> None:
    for number in range(20):
        history.record(f"run-{number}", "loss", NOW, float(number))
        assert history.flush()
    assert len(history._runs) <= 4
    for number in range(20):
        curve = history.curve(f"run-{number}", "loss", None, NOW)
        assert [low for _, low, _ in shown(curve)] == [number]


_NOTE_AND_WAIT = """
import sys
from pathlib import Path
from core.records.time_series import History
history, _ = History.open(Path(sys.argv[1]))
for second in range(60):
    history.record("run", "loss", 1_800_000_000 + second, second)
assert history.flush()
history.record("run", "loss", 1_800_000_060, 60)
print("noted", flush=True)
sys.stdin.read()
"""


def test_history_survives_a_kill(path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _NOTE_AND_WAIT, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=ROOT,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"noted\n"
        os.kill(process.pid, signal.SIGKILL)
    history = opened(path)
    curve = history.curve("run", "loss", 5 * MINUTE, NOW + 60)
    assert [low for _, low, _ in shown(curve)][:60] == list(range(60))
    history.close()


def test_nothing_that_is_noted_while_something_else_is_being_saved_gets_lost(path: Path) -> None:
    history = opened(path)
    is_over = threading.Event()

    def save_all_the_time() -> None:
        while not is_over.is_set():
            history.store.contributions.add("run", ContributionDelta(samples=1))
            history.store.save()

    saver = threading.Thread(target=save_all_the_time)
    saver.start()
    for second in range(300):
        history.record("run", "loss", NOW + second, float(second))
        history._hand_over()
    is_over.set()
    saver.join()
    history.close()
    history = opened(path)
    curve = history.curve("run", "loss", 5 * MINUTE, NOW + 299)
    assert [low for _, low, _ in shown(curve)] == list(range(300))
    history.close()


def test_after_a_long_time_the_file_is_still_small(history: History, path: Path) -> None:
    for hour in range(2_000):
        for series in SERIES:
            history.record("run", series, NOW + hour * HOUR, 1.0)
    assert history.flush()
    rows = history.store.columns("run", "loss", 1)
    assert rows is not None
    assert len(rows) <= 601
    history.close()
    assert path.stat().st_size < 8_000_000
