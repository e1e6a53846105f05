"""The bench's arithmetic for the window, and the worker that stands in for a real one."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from statistics import mean

import pytest

from core.availability.rules import AvailabilityRules
from core.files.folders import Folders
from core.protocol.events import Evaluated, Progress, RoundFinished
from core.protocol.peers import PeersSeen
from core.records.time_series import SERIES, History
from tests.bench.measure import Measured
from tests.bench.plan import ROWS, plan_for
from tests.bench.rows import rows_of
from tests.bench.ruled_desktop import every_rule
from tests.bench.window.actions import Deeds
from tests.bench.window.event_loop_stalls import TICK_SECONDS, Block, Blocks
from tests.bench.window.history_fixture import DAY_SECONDS, RUN_KEY, write_past
from tests.bench.window.measure import WindowMeasured
from tests.bench.window.pause import Pausing
from tests.bench.window.process import Use
from tests.bench.window.responsiveness import Blocked
from tests.bench.window.rows import window_rows
from tests.bench.window.simulated_worker import REPORTS_AN_EPOCH, story
from tests.bench.window.startup import Starts
from tests.bench.window.steady_state import TEN_MINUTES_REPORTS, Cpu, Memory, RulesCost, memory_of

WINDOW_ROWS = tuple(row for row in ROWS if row.startswith(("window_", "wayland_")))
MIB = 2**20


def cells(measured: WindowMeasured, name: str) -> list[tuple[str, bool | None]]:
    """What a row says of ours, and whether it is enough."""
    return [(row.ours, row.is_reached) for row in window_rows(measured)[name]()]


def test_a_block_is_the_time_by_which_a_tick_is_late() -> None:
    blocks = Blocks(10.0, 1.0)
    blocks.tick(10.0 + TICK_SECONDS, 1.001)
    blocks.tick(10.1 + TICK_SECONDS, 1.061)
    blocks.tick(10.1 + 2 * TICK_SECONDS, 1.061)
    assert blocks.longest.seconds == pytest.approx(0.1 - TICK_SECONDS)
    assert blocks.longest.cpu_seconds == pytest.approx(0.06)


def test_memory_is_taken_at_the_end_of_each_half() -> None:
    looks = [(reports, Use(70 * MIB, 50 * MIB + reports, 1.0)) for reports in range(0, TEN_MINUTES_REPORTS + 1, 10)]
    memory = memory_of(looks, 10.0)
    assert memory.bytes == 70 * MIB
    assert memory.growth_bytes == TEN_MINUTES_REPORTS // 2


def test_both_halves_of_a_limit_count() -> None:
    assert cells(WindowMeasured(starts=Starts((0.5, 0.4, 0.9), (0.3, 0.3))), "window_start") == [
        ("0.50 s (1.7×)", True)
    ]
    assert not Starts((0.5,), (0.2,)).ratio <= 2.0
    assert cells(WindowMeasured(starts=Starts((0.5,), (0.2,))), "window_start")[0][1] is False
    assert cells(WindowMeasured(starts=Starts((0.7,), (0.6,))), "window_start")[0][1] is False
    assert cells(WindowMeasured(cpu=Cpu(0.02, 0.004, True)), "window_cpu") == [("2.0% / 0.40%", False)]
    assert cells(WindowMeasured(rules=RulesCost(0.002, 96 * MIB)), "window_rules") == [("0.20% / 96 MiB", False)]
    growing = Memory(65 * MIB, 5 * MIB, 10.0)
    assert cells(WindowMeasured(memory=growing), "window_memory") == [("65 MiB (+5.0)", False)]


def test_a_block_at_any_time_counts() -> None:
    short, long = Block(0.02, 0.02), Block(0.06, 0.05)
    for opening, living, handling in itertools.permutations((short, short, long)):
        blocked = Blocked(opening, living, handling, "sort 0")
        assert cells(WindowMeasured(blocked=blocked), "window_block")[0][1] is False
    good = Blocked(short, short, short, "sort 0")
    assert cells(WindowMeasured(blocked=good), "window_block") == [("20 / 20 / 20 ms (sort 0)", True)]


def test_the_worst_pause_counts_and_the_micro_batch_is_its_own() -> None:
    pausings = [Pausing(0.4, 1.0, 0.1), Pausing(1.3, 2.0, 0.4)]
    none = ("–", None)
    measured = WindowMeasured(pausings=pausings)
    assert cells(measured, "window_pause") == [("1.30 s", True), none, ("2.00 s", True), none, none]
    pausings.append(Pausing(1.2, 3.5, 0.1))
    assert cells(measured, "window_pause") == [("1.30 s", False), none, ("3.50 s", False), none, none]
    pausings.append(Pausing(1.2, 1.0, 0.1, "command"))
    assert cells(measured, "window_pause")[1] == ("1.20 s", False)
    pausings.append(Pausing(3.05, 4.0, 0.1, "rule"))
    assert cells(measured, "window_pause")[3:] == [("3.05 s", True), ("4.00 s", True)], "two seconds to see it"
    pausings.append(Pausing(3.2, 5.1, 0.1, "rule"))
    assert cells(measured, "window_pause")[3:] == [("3.20 s", False), ("5.10 s", False)]


def test_the_slowest_login_counts() -> None:
    assert cells(WindowMeasured(login_seconds=[9.0, 20.5]), "window_login") == [("20.50 s", False)]
    assert cells(WindowMeasured(login_seconds=[9.0]), "window_login") == [("9.00 s", True)]


def test_what_was_not_measured_is_not_reached_and_not_missed() -> None:
    rows = rows_of(ROWS, Measured(), 0.0)
    assert {row.is_reached for row in rows} == {None}
    assert len([row for row in rows if row.what.startswith("window")]) == len(WINDOW_ROWS) + 4


def test_the_window_alone_needs_no_peers_but_for_a_pause_and_a_login() -> None:
    assert not plan_for(("window_start", "window_block"), is_quick=True).wants_peers
    assert all(plan_for((row,), is_quick=True).wants_peers for row in ("window_pause", "window_login"))
    assert not plan_for(("join",), is_quick=False).wants_window


def test_the_story_is_told_at_the_real_worker_s_pace() -> None:
    events = list(itertools.islice(story(300), 700))
    reports = [event for event in events if isinstance(event, Progress)]
    seen = [event for event in events if isinstance(event, PeersSeen)]
    assert round(len(reports) / len(seen)) == 10
    assert {report.epoch for report in reports} == set(range(1, 2 + len(reports) // REPORTS_AN_EPOCH))
    counts = [report.contributed_samples for report in reports]
    assert counts == sorted(set(counts))
    assert any(isinstance(event, Evaluated) for event in events)
    assert any(isinstance(event, RoundFinished) and not event.ok for event in events)
    assert 285 < mean(len(each.peers) for each in seen) < 300


def test_the_past_is_a_day_of_every_curve(tmp_path: Path) -> None:
    folders = Folders.below(tmp_path)
    folders.prepare()
    now = 1_763_700_000.0
    write_past(folders, now)
    history, _ = History.open(folders.contents.history_file)
    for series in SERIES:
        curve = history.curve(RUN_KEY, series, float(DAY_SECONDS), now)
        assert sum(low == low for low in curve.lows) >= DAY_SECONDS / curve.step_seconds - 1
    history.close()


def test_the_window_has_every_deed_that_the_bench_asks_for() -> None:
    sources = [path.read_text("utf-8") for path in Path(__file__).parent.glob("*.py")]
    asked = {name for source in sources for name in re.findall(r'\.ask\("(\w+)"', source)}
    assert len(asked) > 5
    assert {name for name in asked if not hasattr(Deeds, name)} == set()


def test_every_rule_is_on_where_all_of_them_are_measured(tmp_path: Path) -> None:
    rules, none = every_rule(tmp_path), AvailabilityRules()
    instead_of_a_file = {"price_address"}
    off = {name for name in rules.__struct_fields__ if getattr(rules, name) in (None, False, ())}
    assert off == instead_of_a_file
    assert rules.hours != none.hours
