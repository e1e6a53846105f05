"""Who is warned of another computer with its key, and who is not: the last worker had that key, too."""

from __future__ import annotations

from hivemind.p2p import PeerID

from core.worker.roles.steering.duplicate_peer_id import DuplicatePeerIdWatch
from core.worker.swarm.dht.progress_reports import PeerReport

BEGAN = 1_000_000.0


def told(*looks: tuple[float | None, tuple[float, ...]]) -> list[bool]:
    """Whether a person is told after each look: when the report in the DHT was made, if any, and when ours were."""
    watch, peer = DuplicatePeerIdWatch(), PeerID(bytes(34))
    return [
        watch.look(None if stored is None else PeerReport(peer, 3, 16, 8.0, stored, client_mode=True), ours)
        for stored, ours in looks
    ]


def test_reports_of_our_key_that_are_not_ours_are_told_of_once() -> None:
    ours = (BEGAN, BEGAN + 3, BEGAN + 6)
    assert told((BEGAN + 2, ours), (BEGAN + 5, ours), (BEGAN + 7, ours)) == [False, True, False]
    assert told((BEGAN + 2, ours), (BEGAN + 6, ours), (BEGAN + 9, ours)) == [False, False, True]


def test_our_own_reports_and_those_of_our_last_worker_are_no_other_computers() -> None:
    ours = (BEGAN, BEGAN + 4)
    assert told((BEGAN - 5, ()), (BEGAN - 5, ours), (None, ours), (BEGAN, ours), (BEGAN + 4, ours)) == [False] * 5
    assert told(*[(BEGAN + 2, ours)] * 3) == [False] * 3, "it is one report"
