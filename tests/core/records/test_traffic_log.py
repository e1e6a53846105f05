"""The bytes of a day and of a month are those of all workers and of all programs, and outlive them."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import msgspec
import pytest

from core.availability.observation import Observation
from core.availability.presets import with_preset
from core.availability.rules import AvailabilityRules
from core.client.availability_guard import AvailabilityGuard
from core.client.reducer import reduce
from core.client.session import Session
from core.protocol.client_events import AvailabilityDecided, ClientEvent, WorkerExited
from core.protocol.events import StateLoading
from core.protocol.limits import Traffic
from core.records import traffic_log
from core.records.traffic_log import TrafficLog
from tests.app.support.training_sample import progress
from tests.core.client.test_reducer import TRAINING

TODAY, TOMORROW, NEXT_MONTH = datetime(2026, 11, 29, 23), datetime(2026, 11, 30, 1), datetime(2026, 12, 1, 1)
LOADING = (*TRAINING[:-1], StateLoading(received_bytes=0, total_bytes=10**10))


def minutes() -> Callable[[], float]:
    """A clock that is a minute later at each look: the log is due to be written."""
    return itertools.count(0.0, 60.0).__next__


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "traffic.jsonl"


def counted(sent: int, received: int) -> Traffic:
    """What a session has sent and received."""
    return Traffic(sent_bytes=sent, received_bytes=received)


def figures(fields: dict[str, object]) -> tuple[object, ...]:
    """Sent and received, today and this month."""
    return tuple(fields[name] for name in ("sent_today", "received_today", "sent_month", "received_month"))


def told(log: TrafficLog, *events: ClientEvent) -> tuple[object, ...]:
    """The figures after a session has had those events, at each of which the log has looked."""
    session, fields = Session(), dict[str, object]()
    for event in events:
        session = reduce(session, event)
        fields = log.count(session.traffic, TODAY)
    return figures(fields)


def test_the_bytes_of_all_workers_of_a_day_are_added(path: Path) -> None:
    reports = progress(sent_bytes=10, received_bytes=100), progress(sent_bytes=30, received_bytes=150)
    another = (WorkerExited(0), *TRAINING, progress(sent_bytes=5, received_bytes=7))
    assert told(TrafficLog(path), *TRAINING, reports[0], *reports, *another) == (35, 157, 35, 157)


def test_a_worker_whose_first_report_has_more_than_the_last_of_the_one_before_is_counted_whole(path: Path) -> None:
    ends = [(20, 500), (30, 505), (40, 510)]
    lives = [(*TRAINING, progress(sent_bytes=sent, received_bytes=got), WorkerExited(0)) for sent, got in ends]
    assert told(TrafficLog(path), *itertools.chain(*lives)) == (90, 1515, 90, 1515)


def test_a_worker_that_ends_while_the_state_loads_is_counted_whenever_somebody_looks(path: Path) -> None:
    session = Session()
    for event in (*LOADING, counted(2, 3 * 10**9), WorkerExited(1)):
        session = reduce(session, event)
    log = TrafficLog(path)
    assert figures(log.count(session.traffic, TODAY)) == (2, 3 * 10**9, 2, 3 * 10**9)
    for event in (*LOADING, counted(0, 10**9), WorkerExited(1)):
        session = reduce(session, event)
    assert figures(log.count(session.traffic, TODAY)) == (2, 4 * 10**9, 2, 4 * 10**9)


def test_a_limit_pauses_while_the_state_loads(path: Path) -> None:
    log, session = TrafficLog(path), Session()
    rules = msgspec.structs.replace(with_preset(AvailabilityRules(), "always"), received_bytes_a_day=10**9)
    posted = list[AvailabilityDecided]()

    def seen() -> Observation:
        return replace(Observation(TODAY, 0.0), **log.count(session.traffic, TODAY))  # type: ignore[arg-type]

    guard = AvailabilityGuard(lambda: rules, seen, posted.append)
    for event in (*LOADING, counted(0, 9 * 10**8)):
        session = reduce(session, event)
    guard.check()
    assert [each.decision.reason for each in posted] == []
    session = reduce(session, counted(0, 11 * 10**8))
    guard.check()
    session = reduce(session, posted[-1])
    assert session.pause is not None and session.pause.rule is not None
    assert (session.phase, session.pause.rule.rule) == ("leaving", "data")


def test_a_day_and_a_month_begin_anew_but_a_worker_goes_on_counting(path: Path) -> None:
    log = TrafficLog(path, minutes())
    log.count(counted(30, 150), TODAY)
    assert figures(log.count(counted(31, 152), TOMORROW)) == (1, 2, 31, 152)
    assert figures(log.count(counted(41, 153), NEXT_MONTH)) == (10, 1, 10, 1)


def test_a_restart_goes_on_where_the_program_before_has_stopped(path: Path) -> None:
    before = TrafficLog(path)
    before.count(counted(30, 150), TODAY)
    before.write()
    again = TrafficLog(path)
    assert figures(again.count(counted(0, 0), TODAY)) == (30, 150, 30, 150)
    assert figures(again.count(counted(4, 5), TODAY)) == (34, 155, 34, 155)
    assert path.stat().st_mode & 0o777 == 0o600


def test_two_programs_at_the_same_time_count_together(path: Path) -> None:
    window, terminal = TrafficLog(path, minutes()), TrafficLog(path, minutes())
    window.count(counted(30, 150), TODAY)
    terminal.count(counted(1, 2), TODAY)
    seen = window.count(counted(30, 150), TODAY), terminal.count(counted(1, 2), TODAY)
    assert [figures(fields) for fields in seen] == [(31, 152, 31, 152)] * 2


def test_the_file_stays_small_and_the_sums_stay_right(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traffic_log, "MOST_BYTES", 2000)
    log = TrafficLog(path, minutes())
    for number in range(1, 200):
        fields = log.count(counted(number, 2 * number), TODAY)
    assert figures(fields) == (199, 398, 199, 398)
    assert path.stat().st_size < 2100


def test_a_disk_without_room_to_shorten_the_file_counts_nothing_twice(
    small_disk: Path, fill_disk: Callable[[], None]
) -> None:
    path = small_disk / "traffic.jsonl"
    path.write_bytes(b"\n" * (traffic_log.MOST_BYTES + 1))  # and room for some lines in its last block
    log = TrafficLog(path, minutes())
    fill_disk()
    for number in range(1, 4):
        fields = log.count(counted(100 * number, 200 * number), TODAY)
        assert figures(fields) == (100 * number, 200 * number, 100 * number, 200 * number)
    (small_disk / "hog").unlink()
    assert figures(log.count(counted(400, 800), TODAY)) == figures(TrafficLog(path).count(counted(0, 0), TODAY))
    assert figures(log.count(counted(400, 800), TODAY)) == (400, 800, 400, 800)
    assert path.stat().st_size < traffic_log.MOST_BYTES


def test_a_damaged_line_is_left_out_and_a_folder_that_refuses_costs_nothing_but_memory(path: Path) -> None:
    path.parent.mkdir()
    path.write_text('{"day":"2026-11-29","sent":3,"received":4}\n{"day":"2026-11-29","sent":-3\nnonsense\n')
    assert figures(TrafficLog(path).count(counted(0, 0), TODAY)) == (3, 4, 3, 4)
    blocked = TrafficLog(path / "below a file" / "traffic.jsonl", minutes())
    blocked.count(counted(5, 6), TODAY)
    assert figures(blocked.count(counted(6, 8), TODAY)) == (6, 8, 6, 8)
