"""Log and page are written when they are due; where they cannot be, that is said once and watching goes on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from core.errors import ErrorKind, UserError
from core.fleet.log import read_log
from core.fleet.recorder import LOG_SECONDS, PAGE_SECONDS, FleetRecorder
from tests.core.fleet.made_up_fleets import NOON, peer, snapshot
from tests.support.computer.fake_clock import FakeClock


def recorder(log: Path | None, page: Path | None) -> tuple[FleetRecorder, FakeClock, list[UserError]]:
    """One with a clock, and what it has warned of."""
    clock, warnings = FakeClock(), list[UserError]()
    return FleetRecorder(log, page, warnings.append, clock), clock, warnings


def seen_at(page: Path) -> float:
    """When what the page shows was seen."""
    return float(json.loads((page / "status.json").read_text())["at"])


def test_log_and_page_are_written_at_once_and_then_when_they_are_due(tmp_path: Path) -> None:
    log, page = tmp_path / "fleet.log", tmp_path / "www" / "sums"
    writer, clock, warnings = recorder(log, page)
    for seconds in range(0, 121, 5):
        clock.now = seconds
        writer.add(snapshot(peer(0), at=NOON + seconds))
    assert [each.at - NOON for each in read_log(log)] == [LOG_SECONDS * number for number in range(5)]
    assert seen_at(page) == NOON + 2 * PAGE_SECONDS
    assert warnings == []


def test_a_new_start_goes_on_with_the_day_of_the_log_and_with_no_other_runs(tmp_path: Path) -> None:
    log = tmp_path / "fleet.log"
    writer, clock, _ = recorder(log, None)
    for minutes in range(3):
        clock.now += 60
        writer.add(snapshot(peer(0), at=NOON + 60 * minutes))
    again, _, _ = recorder(log, None)
    again.add(snapshot(peer(0), peer(1), at=NOON + 3600))
    assert [point.peers for point in again.history.points] == [1, 1, 1, 2]


def test_a_moment_of_the_future_in_the_log_does_not_stop_the_charts_after_a_new_start(tmp_path: Path) -> None:
    log = tmp_path / "fleet.log"
    for at in (NOON, NOON + 86_400 * 365):
        recorder(log, None)[0].add(snapshot(peer(0), at=at))
    again, _, _ = recorder(log, None)
    for minutes in range(2, 5):
        again.add(snapshot(peer(0), peer(1), at=NOON + 60 * minutes))
    assert [point.peers for point in again.history.points] == [2, 2]


def test_a_page_that_cannot_be_written_is_told_in_words_once_and_is_written_when_it_can_be(tmp_path: Path) -> None:
    page = tmp_path / "page"
    page.write_text("not a folder")
    writer, clock, warnings = recorder(None, page)
    for _ in range(3):
        writer.add(snapshot(peer(0), at=NOON))
        clock.now += PAGE_SECONDS
    (warning,) = warnings
    assert warning.problem is ErrorKind.FOLDER_NOT_WRITABLE and str(page) in str(warning.detail)
    page.unlink()
    writer.add(snapshot(peer(0), at=NOON + 9))
    assert seen_at(page) == NOON + 9 and len(warnings) == 1


def test_a_full_disk_is_told_and_leaves_the_page_of_before_whole(
    small_disk: Path, fill_disk: Callable[[], None]
) -> None:
    page = small_disk / "page"
    writer, clock, warnings = recorder(small_disk / "fleet.log", page)
    writer.add(snapshot(peer(0), at=NOON))
    fill_disk()
    clock.now += PAGE_SECONDS
    writer.add(snapshot(*map(peer, range(90)), at=NOON + 60))
    assert {each.problem for each in warnings} == {ErrorKind.DISK_FULL}
    assert seen_at(page) == NOON and (page / "index.html").read_text().endswith("</html>\n")
    assert not list(page.glob(".*.tmp"))
    (small_disk / "hog").unlink()
    clock.now += PAGE_SECONDS
    writer.add(snapshot(peer(0), at=NOON + 120))
    assert seen_at(page) == NOON + 120
    assert [each.at for each in read_log(small_disk / "fleet.log")][-1] == NOON + 120


@pytest.mark.parametrize("kind", ["log", "page"])
def test_a_folder_that_is_read_only_is_told_in_words(kind: str) -> None:
    warnings = recorder_in_proc(kind)
    assert [each.problem for each in warnings] == [ErrorKind.FOLDER_NOT_WRITABLE]


def recorder_in_proc(kind: str) -> list[UserError]:
    """What is warned of where not even root may write: /proc."""
    place = Path("/proc/fleet")
    writer, _, warnings = recorder(place if kind == "log" else None, place if kind == "page" else None)
    writer.add(snapshot(peer(0)))
    return warnings
