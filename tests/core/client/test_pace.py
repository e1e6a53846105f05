"""A volunteer's worker is told at which pace to work, without a restart, and each new worker anew."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from core.availability.decision import Decision, Reason
from core.availability.pacing import FULL, Pace
from core.protocol.client_events import AvailabilityDecided
from core.protocol.commands import REPORT_SECONDS, SetPace
from tests.support.client_harness import FrontEnd

SLOW = Pace(0.6, 250_000, "heat", 83.0, 80.0, download_rate=500_000)
SLOWED = SetPace(compute_share=0.6, upload_bytes_a_second=250_000, download_bytes_a_second=500_000)


def paces(front: FrontEnd) -> list[list[SetPace]]:
    """What each worker was told, in turn."""
    return [[command for command in life if isinstance(command, SetPace)] for life in front.lives()]


def test_a_pace_reaches_the_worker_that_trains_and_the_one_after_a_pause(tmp_path: Path) -> None:
    front = FrontEnd(tmp_path, "good", "good")
    try:
        front.train()
        for pace in (SLOW, SLOW, replace(SLOW, measured=84.0)):
            front.post(AvailabilityDecided(Decision(), pace=pace))
        front.until(lambda session: session.pace.measured == 84.0)
        assert front.session.phase == "training"
        front.post(AvailabilityDecided(Decision((Reason("battery"),)), pace=SLOW))
        front.until(lambda session: session.phase == "paused")
        front.post(AvailabilityDecided(Decision(), pace=SLOW))
        given = front.session.contributed_samples
        front.until(lambda session: session.contributed_samples > given)
        front.post(AvailabilityDecided(Decision(), pace=FULL))
        front.until(lambda session: session.pace == FULL)
    finally:
        front.client.close()
    assert paces(front) == [[SLOWED], [SLOWED, SetPace()]]


def test_workers_report_as_seldom_as_is_asked_for_and_each_new_one_is_told(tmp_path: Path) -> None:
    front = FrontEnd(tmp_path, "good", "good")
    front.client.pace.report_every(2.0)
    try:
        front.train()
        front.post(AvailabilityDecided(Decision((Reason("battery"),))))
        front.until(lambda session: session.phase == "paused")
        front.post(AvailabilityDecided(Decision()))
        front.until(lambda session: session.phase == "training")
        front.client.pace.report_every(REPORT_SECONDS)
        front.client.pace.report_every(REPORT_SECONDS)
    finally:
        front.client.close()
    assert paces(front) == [[SetPace(report_seconds=2.0)], [SetPace(report_seconds=2.0), SetPace()]]


def test_limits_of_the_line_are_for_all_workers_together(tmp_path: Path) -> None:
    front = FrontEnd(tmp_path, "good")
    try:
        front.train()
        front.post(AvailabilityDecided(Decision(), pace=SLOW))
        front.until(lambda session: session.pace == SLOW)
        front.client.pace.share_line(2)
        front.client.pace.share_line(1)
        assert front.session.pace == SLOW, "what a person is told is the limit of the computer"
    finally:
        front.client.close()
    halved = SetPace(compute_share=0.6, upload_bytes_a_second=125_000, download_bytes_a_second=250_000)
    assert paces(front) == [[SLOWED, halved, SLOWED]]
