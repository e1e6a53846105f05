"""How often progress is reported to the DHT: often enough for the others, and no oftener."""

from __future__ import annotations

import math
import threading
import time

import pytest

from core.protocol.events import Evaluated, TrainingStarted
from core.worker.swarm.progress.rate_limited_event import (
    LEAST_SHARE,
    MOST_LEAST_SECONDS,
    MOST_REPORT_SECONDS,
    REPORT_SECONDS,
    REPORTS_TO_END,
    RateLimitedEvent,
    report_period,
)
from tests.support.real_peers import PeerGroup, tiny

PATIENCE_SECONDS = 60.0


def test_a_report_that_is_due_is_made_at_once() -> None:
    begin = time.monotonic()
    event = RateLimitedEvent()
    event.set()
    assert event.wait(PATIENCE_SECONDS)
    assert time.monotonic() - begin < PATIENCE_SECONDS / 2


def test_the_next_report_waits_until_it_is_time() -> None:
    event = RateLimitedEvent()
    event.set()
    event.wait()
    begin = time.monotonic()
    assert event.wait()
    assert time.monotonic() - begin > REPORT_SECONDS * 0.9


def test_the_farther_the_end_of_an_epoch_the_rarer_are_reports() -> None:
    assert report_period(math.inf) == REPORT_SECONDS  # nobody knows yet when it ends
    assert report_period(-3.0) == report_period(2.0) == REPORT_SECONDS
    assert report_period(30.0) == 30.0 / REPORTS_TO_END
    assert report_period(3600.0) == MOST_REPORT_SECONDS


def test_near_the_end_of_an_epoch_reports_are_as_rare_as_a_share_of_it() -> None:
    assert report_period(2.0, 8.0) == REPORT_SECONDS
    assert report_period(2.0, 100.0) == LEAST_SHARE * 100.0
    assert report_period(2.0, 3600.0) == report_period(-1.0, 3600.0) == MOST_LEAST_SECONDS
    assert report_period(30.0, 3600.0) == report_period(30.0)


def test_an_epoch_of_two_minutes_is_reported_nine_times_after_its_first_second() -> None:
    left, reports = 119.0, 0
    while left > 0:
        left, reports = left - report_period(left, 120.0), reports + 1
    assert reports == 9


def test_what_is_urgent_does_not_wait() -> None:
    event = RateLimitedEvent()
    event._due = time.monotonic() + PATIENCE_SECONDS
    begin = time.monotonic()
    threading.Timer(0.1, event.set_urgently).start()
    assert event.wait(PATIENCE_SECONDS)
    assert time.monotonic() - begin < PATIENCE_SECONDS / 2


def test_what_is_urgent_does_not_put_off_the_next_report() -> None:
    """Where epochs are shorter than ``REPORT_SECONDS``, each begins urgently, and only the others have samples."""
    event = RateLimitedEvent()
    event._due = due = time.monotonic() + PATIENCE_SECONDS
    event.set_urgently()
    assert event.wait(PATIENCE_SECONDS)
    assert event._due == due


@pytest.mark.real
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_newcomer_follows_a_lone_peer_whose_epochs_are_shorter_than_that(group: PeerGroup) -> None:
    organiser = group.organiser(manifest=tiny(target_batch_size=16, batch_size_per_step=8))
    organiser.wait_for(Evaluated, lambda event: event.epoch >= 10)
    newcomer = group.volunteer(organiser.posted, "home")
    assert newcomer.wait_for(TrainingStarted).epoch >= 10
