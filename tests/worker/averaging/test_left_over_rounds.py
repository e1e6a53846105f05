"""A round that nobody comes to any more is ended by what half of the swarm reports, and by no single report."""

from __future__ import annotations

from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hivemind.p2p import PeerID
from hivemind.utils import MSGPackSerializer

from core.worker.swarm.averaging.optimizer import SwarmOptimizer
from core.worker.swarm.dht.progress_reports import PeerReport
from core.worker.swarm.patches.matchmaking import EpochMatchmaking

OURS = 7


class Averager:
    """Stands for one that looks for a group."""

    def __init__(self) -> None:
        self.rounds = SimpleNamespace(announced=[object()])
        self.ended_before: list[int] = []
        self.others: frozenset[PeerID] = frozenset()

    def know_others(self, others: frozenset[PeerID]) -> None:
        """As an averager does, which tells its process."""
        self.others = others

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
    stands_for_it = SimpleNamespace(tracker=tracker, averagers=(averager,), _known=frozenset())
    SwarmOptimizer._end_rounds_left_over(cast(Any, stands_for_it))
    assert averager.ended_before == ([OURS] if is_over else []), "a round of our own epoch may be about to begin"
    assert averager.others == {each.peer_id for each in reports}


ONE, OTHER, STRANGER = (PeerID(bytes([number])) for number in range(3))


class Looking(EpochMatchmaking):
    """As much of one that looks for a group as the end of a round needs."""

    known = frozenset({ONE, OTHER})
    current_followers: dict[PeerID, Any] = {}  # noqa: RUF012 - nobody follows it

    def __init__(self) -> None:
        self._ahead = set()
        self.step: Any = SimpleNamespace(
            data_for_gather=told(OURS), triggered=True, done=lambda: False, set_exception=lambda _error: None
        )
        self.assembled_group: Any = Future()


def told(epoch: int) -> bytes:
    """As a member tells its group of the epoch of its round."""
    return bytes(MSGPackSerializer.dumps([None, 0, MSGPackSerializer.dumps(epoch)]))


@pytest.mark.parametrize(
    ("claims", "is_over"),
    [
        ([(STRANGER, OURS + 1), (STRANGER, 10**9)], False),
        ([(ONE, OURS), (OTHER, OURS - 1), (ONE, None)], False),
        ([(ONE, OURS + 1)], True),
    ],
)
def test_half_of_the_others_whose_reports_are_believed_end_a_round_by_telling_a_later_epoch(
    claims: list[tuple[PeerID, int | None]], is_over: bool
) -> None:
    """Of four others it takes two."""
    looking = Looking()
    for peer, epoch in claims:
        looking._hear_epoch(peer, epoch, looking.step)
    assert looking.assembled_group.done() == is_over
    many = Looking()
    many.known = frozenset(PeerID(bytes([number])) for number in (0, 1, 3, 4))
    many._hear_epoch(ONE, OURS + 1, many.step)
    many._hear_epoch(ONE, OURS + 2, many.step)
    assert not many.assembled_group.done()
    many._hear_epoch(OTHER, OURS + 1, many.step)
    assert many.assembled_group.done()
