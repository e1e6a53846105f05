"""What peers of local SGD have in common after some rounds together."""

from __future__ import annotations

import time

from core.protocol.events import RoundFinished
from tests.bench.local_sgd.recorded_peers import RecordedPeers
from tests.bench.local_sgd.root_counts import RootCounts, disputes, root_counts_of
from tests.support.fault_injection import gave
from tests.support.real_peers import LIMIT_SECONDS, LOOK_SECONDS, Peer

ROUNDS = 3


def average_together(*peers: Peer, among: int) -> None:
    """Wait until each has averaged some times in a group of so many."""
    since = [len(peer.said) for peer in peers]
    for _ in range(ROUNDS):
        for number, peer in enumerate(peers):
            peer.wait_for(RoundFinished, lambda event: gave(event) and event.peers == among, since=since[number])
            since[number] = len(peer.said)


def assert_equal_base_weights(group: RecordedPeers) -> None:
    """Whoever had others than most has replaced them before its next step, or left before it.

    Who has just taken a step has time for that. What was not replaced then stays unrepaired, however long is waited.
    """
    deadline = time.monotonic() + LIMIT_SECONDS
    while not _are_equal(counts := _counts(group)) and time.monotonic() < deadline:
        time.sleep(LOOK_SECONDS)
    assert _are_equal(counts), f"{counts}{disputes(group.started)}"


def _counts(group: RecordedPeers) -> RootCounts:
    """Of all that were ever started."""
    return root_counts_of(group.started, [peer for peer in group.started if peer.process.poll() is not None])


def _are_equal(counts: RootCounts) -> bool:
    return counts.equal > 0 and counts.unrepaired == counts.astray == 0
