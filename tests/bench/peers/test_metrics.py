"""The bench's arithmetic: which samples count, and what stands still."""

from __future__ import annotations

import pytest

from core.protocol.events import AnyEvent, Progress, RoundFinished, StateLoading
from tests.bench.peers.metrics import Track, joint_samples_per_second, samples_per_second, speeds_by_rounds
from tests.bench.peers.peer_process import Seen


def progress(epoch: int, contributed: int, stalled: float = 0.0, sent: int = 0) -> Progress:
    """A report."""
    return Progress(
        epoch=epoch,
        samples=0,
        target=100,
        samples_per_second=None,
        swarm_samples_per_second=None,
        peers=2,
        clients=0,
        loss=None,
        contributed_samples=contributed,
        stalled_seconds=stalled,
        sent_bytes=sent,
    )


def track(*events: AnyEvent) -> Track:
    """One event a second."""
    return Track(tuple(Seen(float(second), event) for second, event in enumerate(events)))


STEADY = track(*(progress(second // 2, 10 * second) for second in range(9)))


def test_samples_of_epochs_that_both_advanced_count() -> None:
    assert STEADY.advanced(1) == 20
    assert joint_samples_per_second([STEADY, STEADY], 1, 4) == pytest.approx(20.0)


def test_an_epoch_in_which_one_downloaded_the_state_counts_for_nobody() -> None:
    events = [each.event for each in STEADY.seen]
    events[3] = StateLoading(received_bytes=0, total_bytes=0)
    behind = track(*events)
    assert behind.advanced(1) is None
    assert joint_samples_per_second([STEADY, behind], 1, 4) == pytest.approx(20.0 * 2 / 3)


def test_an_epoch_that_was_skipped_counts_for_nobody() -> None:
    hasty = track(progress(0, 0), progress(1, 10), progress(3, 20), progress(4, 30))
    assert hasty.advanced(1) is None
    assert hasty.advanced(2) is None
    assert hasty.advanced(3) == 10


def test_an_epoch_that_has_not_ended_counts_for_nobody() -> None:
    assert STEADY.advanced(4) is None
    assert joint_samples_per_second([STEADY, STEADY], 4, 6) == 0.0


def test_the_longest_stall_is_of_the_reports_within() -> None:
    standing = track(progress(0, 1, 9.0), progress(0, 2, 0.5), progress(1, 3, 0.2), progress(1, 4, 7.0))
    assert standing.longest_stall(after=0.0, until=2.0) == 0.5


def test_rounds_are_counted_by_their_kind() -> None:
    rounds = [
        RoundFinished(epoch=0, kind="gradients", ok=True, peers=2, seconds=1.0),
        RoundFinished(epoch=0, kind="state", ok=False, peers=0, seconds=1.0),
        RoundFinished(epoch=1, kind="gradients", ok=False, peers=0, seconds=1.0),
    ]
    assert track(progress(0, 0), *rounds).gradient_rounds(after=0.0, until=9.0) == (1, 2)


def test_the_speed_of_a_loop_is_that_between_two_reports() -> None:
    assert samples_per_second(STEADY, 2.0, 5.0) == pytest.approx(10.0)
    assert samples_per_second(STEADY, 2.0, 2.5) == 0.0


def test_speed_is_told_apart_for_the_time_of_rounds_and_the_time_between_them() -> None:
    ended = RoundFinished(epoch=0, kind="gradients", ok=True, peers=2, seconds=1.8)
    seen = track(progress(0, 0), progress(0, 10), progress(0, 15), progress(0, 20), ended, progress(0, 30)).seen
    late = Seen(3.0, ended)  # from 1.2 s to 3 s
    both = Track((*seen[:4], late, Seen(4.0, seen[5].event)))
    assert speeds_by_rounds(both, 0.0, 4.0) == (5.0, 10.0)
    assert speeds_by_rounds(both, 3.0, 3.5) == (0.0, 0.0), "one report tells no speed"
