"""A round that nobody comes to any more is ended by what half of the swarm reports, and by no single report."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from hivemind.p2p import PeerID

from core.worker.swarm.averaging.optimizer import SwarmOptimizer
from core.worker.swarm.dht.progress_reports import PeerReport

OURS = 7


class Averager:
    """Stands for one that looks for a group."""

    def __init__(self) -> None:
        self.rounds = SimpleNamespace(announced=[object()])
        self.ended_before: list[int] = []

    def end_rounds_before(self, epoch: int) -> None:
        """As an averager does, which asks its process."""
        self.ended_before.append(epoch)


def report(epoch: int, number: int) -> PeerReport:
    """Of one of the others, which can be reached."""
    return PeerReport(PeerID(bytes([number])), epoch, 1, 1.0, 1.8e9, client_mode=False)


@pytest.mark.parametrize(
    ("others", "is_over"),
    [
        ([OURS, OURS + 1], False),
        ([OURS, 10**9], False),
        ([OURS, OURS + 1, OURS + 1], True),
        ([OURS + 1], True),
    ],
)
def test_what_is_left_over_ends_once_half_of_the_swarm_has_ended_our_epoch(others: list[int], is_over: bool) -> None:
    reports = [report(epoch, number) for number, epoch in enumerate(others)]
    tracker = SimpleNamespace(
        reports=reports, others=reports, counted_others=reports, local_progress=SimpleNamespace(epoch=OURS)
    )
    averager = Averager()
    stands_for_it = SimpleNamespace(tracker=tracker, averagers=(averager,))
    SwarmOptimizer._end_rounds_left_over(cast(Any, stands_for_it))
    assert averager.ended_before == ([OURS] if is_over else []), "a round of our own epoch may be about to begin"
