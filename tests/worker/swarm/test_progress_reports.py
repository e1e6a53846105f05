"""What the reports of others mean for our own rounds."""

from __future__ import annotations

import pytest
from hivemind.p2p import PeerID

from core.worker.swarm.averaging.liveness import are_all_ahead
from core.worker.swarm.dht.progress_reports import PeerReport

EPOCH = 7


def report(epoch: int, client_mode: bool = False) -> PeerReport:
    """Somebody's."""
    return PeerReport(
        peer_id=PeerID(b"somebody"),
        epoch=epoch,
        samples=0,
        samples_per_second=0.0,
        time=0.0,
        client_mode=client_mode,
    )


@pytest.mark.parametrize(
    ("others", "are_ahead"),
    [
        ([report(EPOCH + 2)], True),
        ([report(EPOCH + 2), report(EPOCH + 5), report(EPOCH, client_mode=True)], True),
        ([report(EPOCH + 1)], False),
        ([report(EPOCH + 2), report(EPOCH + 1)], False),
        ([report(EPOCH + 9, client_mode=True)], False),
        ([], False),
    ],
    ids=["all", "those who can be reached", "by one epoch", "one of two", "who cannot be reached", "nobody"],
)
def test_our_rounds_are_over_when_all_who_can_be_reached_are_two_epochs_on(
    others: list[PeerReport], are_ahead: bool
) -> None:
    assert are_all_ahead(others, EPOCH) is are_ahead
