"""Who is warned of another computer with its key, and who is not: the last worker had that key, too."""

from __future__ import annotations

from hivemind.p2p import PeerID

from core.worker.roles.steering.namesakes import NamesakeWatch
from core.worker.swarm.dht.progress_reports import PeerReport

BEGAN = 1_000_000.0


def told(*looks: tuple[float | None, float]) -> list[bool]:
    """Whether a person is told after each look: when the report in the DHT was made, if any, and when our latest."""
    watch, peer = NamesakeWatch(), PeerID(bytes(34))
    return [
        watch.look(None if stored is None else PeerReport(peer, 3, 16, 8.0, stored, client_mode=True), ours)
        for stored, ours in looks
    ]


def test_reports_of_our_key_that_are_not_ours_are_told_of_once() -> None:
    assert told((BEGAN + 2, BEGAN + 1), (BEGAN + 8, BEGAN + 7), (BEGAN + 9, BEGAN + 7)) == [False, True, False]
    assert told((BEGAN + 2, BEGAN + 1), (BEGAN + 7, BEGAN + 7), (BEGAN + 9, BEGAN + 8)) == [False, False, True]


def test_our_own_reports_and_those_of_our_last_worker_are_no_other_computers() -> None:
    assert told((BEGAN - 5, BEGAN), (None, BEGAN), (BEGAN, BEGAN + 4), (BEGAN + 4, BEGAN + 4)) == [False] * 4
    assert told(*[(BEGAN + 2, BEGAN + 1)] * 3) == [False] * 3, "it is one report"
