"""What peers of local SGD have in common after some rounds together."""

from __future__ import annotations

from core.protocol.events import RoundFinished
from tests.bench.local_sgd.recorded_peers import RecordedPeers
from tests.bench.local_sgd.root_counts import disputes, root_counts_of
from tests.support.fault_injection import gave
from tests.support.real_peers import Peer

ROUNDS = 3


def average_together(*peers: Peer, among: int) -> None:
    """Wait until each has averaged some times in a group of so many."""
    since = [len(peer.said) for peer in peers]
    for _ in range(ROUNDS):
        for number, peer in enumerate(peers):
            peer.wait_for(RoundFinished, lambda event: gave(event) and event.peers == among, since=since[number])
            since[number] = len(peer.said)


def assert_equal_base_weights(group: RecordedPeers) -> None:
    """Whoever had others than most has replaced them before the next step."""
    counts = root_counts_of(group.started)
    assert counts.equal > 0 and counts.unrepaired == counts.astray == 0, f"{counts}{disputes(group.started)}"
