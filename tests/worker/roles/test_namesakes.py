"""Who is warned of another computer with its key, and who is not: only one of those who report may be a past worker."""

from __future__ import annotations

from hivemind.p2p import PeerID

from core.worker.roles.steering.namesakes import NamesakeWatch
from core.worker.swarm.dht.progress_reports import PeerReport

OURS, ANOTHER = (PeerID(bytes([number]) * 34) for number in (1, 2))
BEGAN = 1_000_000.0
LATER = BEGAN + 1


def told(*looks: dict[bytes, tuple[PeerID, float]]) -> list[bool]:
    """Whether a person is told after each of these looks, of reports by their keys: under which id, and when."""
    watch = NamesakeWatch(OURS.to_base58(), BEGAN)
    return [
        watch.look({key: PeerReport(peer, 3, 16, 8.0, time, client_mode=True) for key, (peer, time) in look.items()})
        for look in looks
    ]


def test_reports_under_our_id_that_go_on_are_told_of_once() -> None:
    assert told(*({b"key": (OURS, LATER + number)} for number in range(4))) == [False, True, False, False]


def test_what_our_last_worker_has_left_or_another_peer_reports_is_none_of_it() -> None:
    assert told(*[{b"last": (OURS, BEGAN - 5.0)}] * 3) == [False] * 3
    assert told(*[{b"late": (OURS, LATER)}] * 3) == [False] * 3, "it is one report, which does not change"
    assert told(*({b"other": (ANOTHER, LATER + number)} for number in range(3))) == [False] * 3
    assert told({b"one": (OURS, LATER)}, {b"two": (OURS, LATER + 1)}) == [False] * 2
