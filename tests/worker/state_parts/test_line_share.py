"""Newcomers have a share of a line that was measured, all of them together, by a clock that the test turns."""

from __future__ import annotations

import heapq

import pytest

from core.worker.swarm.local_sgd.averagers import BaseWeightsAverager, DeltaAverager
from core.worker.swarm.local_sgd.state_donor import StateDonor
from core.worker.swarm.state_parts.line_share import BURST_SECONDS, MIN_BITS_PER_SECOND, SHARE, LineShare
from core.worker.swarm.state_parts.messages import PIECE_BYTES

UPLOAD = 20e6
SECONDS = 30.0


def sent_bytes(share: LineShare, clock: list[float], newcomers: int, idle_until: float = 0.0) -> float:
    """What so many newcomers get until SECONDS, who always want more, from ``idle_until`` on."""
    sent, waiting = 0.0, [(idle_until, number) for number in range(newcomers)]
    while waiting[0][0] < SECONDS:
        clock[0], number = heapq.heappop(waiting)
        heapq.heappush(waiting, (clock[0] + share.delay(PIECE_BYTES), number))
        sent += PIECE_BYTES
    return sent


@pytest.mark.parametrize("newcomers", [1, 2])
@pytest.mark.parametrize("idle_until", [0.0, 10.0])
def test_newcomers_together_get_no_more_than_the_share(newcomers: int, idle_until: float) -> None:
    clock = [0.0]
    share = LineShare(lambda: clock[0])
    share.upload = UPLOAD
    sent = sent_bytes(share, clock, newcomers, idle_until)
    allowed = SHARE * UPLOAD / 8 * (SECONDS - idle_until + BURST_SECONDS) + newcomers * PIECE_BYTES
    assert 0.97 * allowed < sent <= allowed


def test_a_line_that_was_not_measured_is_not_shared_out() -> None:
    assert LineShare().delay(10**9) == 0.0


def test_nobody_gets_next_to_nothing() -> None:
    clock = [0.0]
    share = LineShare(lambda: clock[0])
    share.upload = 1000.0
    assert sent_bytes(share, clock, 2) > 0.97 * MIN_BITS_PER_SECOND / 8 * SECONDS


def test_the_averager_of_rounds_serves_no_newcomers_and_so_waits_for_none() -> None:
    assert issubclass(BaseWeightsAverager, StateDonor)
    assert not issubclass(DeltaAverager, StateDonor)  # which has a process of its own
