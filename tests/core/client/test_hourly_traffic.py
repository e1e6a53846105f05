"""The traffic of the last hour: of several workers together, and without what is older."""

from __future__ import annotations

import functools

import msgspec
import pytest

from core.client import reducer
from core.client.event_timestamps import EventTimestamps
from core.client.hourly_traffic import HourlyTraffic
from core.client.session import Session
from core.protocol.client_events import Asked, Pause, RestartDue, RunContinued, WorkerExited
from core.protocol.commands import Join, Leave
from core.protocol.events import Progress, Restarting
from core.protocol.limits import Traffic
from tests.core.client.test_reducer import CRASHED, FOUND, HELLO, STARTED, TRAINING

SILENT = Progress(
    epoch=1, samples=0, target=10, samples_per_second=1.0, swarm_samples_per_second=2.0, peers=2, clients=0, loss=None
)


def report(sent: int, received: int) -> Progress:
    """One in which a worker has sent and received so many bytes since its start."""
    return msgspec.structs.replace(SILENT, sent_bytes=sent, received_bytes=received)


def counted(sent: int, received: int) -> Traffic:
    """The same of a session."""
    return Traffic(sent_bytes=sent, received_bytes=received)


def test_reports_are_added_up_minute_by_minute() -> None:
    traffic = HourlyTraffic().after(counted(10, 1), 1000.0).after(counted(30, 3), 1001.0).after(counted(60, 6), 1100.0)
    assert traffic.sums(1100.0) == (60, 6)
    assert len(traffic.buckets) == 2


def test_another_session_counts_from_nothing_again() -> None:
    traffic = HourlyTraffic().after(counted(50, 5), 1000.0).after(counted(20, 2), 1010.0)
    assert traffic.sums(1010.0) == (70, 7)


def test_a_worker_whose_first_report_has_more_than_the_last_of_the_one_before_is_counted_whole() -> None:
    again = (CRASHED, Restarting(attempt=1, seconds=2.0), RestartDue(), HELLO, FOUND, STARTED)
    session, timestamps = Session(), EventTimestamps()
    for event in (*TRAINING, report(20, 500), *again, report(30, 505), *again, report(40, 510)):
        session = reducer.reduce(session, event)
        timestamps = timestamps.after(session, 1000.0)
    assert timestamps.traffic.sums(1000.0) == (90, 1515)


def test_what_came_before_the_first_report_counts_and_what_earlier_sessions_have_had_does_not() -> None:
    loaded = (counted(0, 3 * 10**9), WorkerExited(0))
    session, earlier = Session(), EventTimestamps()
    for event in (*TRAINING, *loaded):
        session = reducer.reduce(session, event)
        earlier = earlier.after(session, 1000.0)
    assert earlier.traffic.sums(1000.0) == (0, 3 * 10**9)
    later = EventTimestamps()
    for event in (*TRAINING, report(20, 500)):
        session = reducer.reduce(session, event)
        later = later.after(session, 9000.0)
    assert later.traffic.sums(9000.0) == (20, 500)


@pytest.mark.parametrize("pause", [None, Pause()])
def test_a_run_that_follows_another_in_the_order_goes_on_counting(pause: Pause | None) -> None:
    loaded = (*TRAINING, counted(5, 7), Asked(Leave()), WorkerExited(0))
    before = functools.reduce(reducer.reduce, loaded, Session())
    assert isinstance(before.opening, Join) and before.consent is not None and before.agreed is not None
    following = reducer.reduce(before, RunContinued(before.opening, before.consent, before.agreed, pause))
    assert following.phase != "ended" and following.traffic == before.traffic == counted(5, 7)
    assert following.with_traffic(counted(1, 2)).traffic == counted(6, 9)


def test_what_is_older_than_an_hour_is_forgotten() -> None:
    traffic = HourlyTraffic().after(counted(50, 5), 0.0).after(counted(80, 8), 1800.0)
    assert traffic.sums(3599.0) == (80, 8)
    assert traffic.sums(3600.0) == (30, 3)
    later = traffic.after(counted(90, 9), 7200.0)
    assert later.sums(7200.0) == (10, 1) and len(later.buckets) == 1


def test_a_day_of_reports_takes_no_more_room_than_an_hour() -> None:
    traffic = HourlyTraffic()
    for minute in range(24 * 60):
        traffic = traffic.after(counted(minute, minute), minute * 60.0)
    assert len(traffic.buckets) == 60
    assert traffic.sums((24 * 60 - 1) * 60.0) == (60, 60)
