"""What the reports of others mean for our own rounds."""

from __future__ import annotations

import pytest
from hivemind.p2p import PeerID

from core.worker.swarm.dht.progress_reports import PeerReport
from core.worker.swarm.progress.liveness import are_all_ahead, is_half_ahead

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


@pytest.mark.parametrize(
    ("ahead", "behind", "is_over"),
    [
        (1, 0, True),
        (2, 0, True),
        (1, 1, False),
        (2, 1, True),
        (2, 2, False),
        (3, 1, True),
        (3, 3, False),
        (4, 2, True),
        (0, 0, False),
    ],
    ids=lambda value: str(value),
)
def test_our_round_is_over_when_half_of_the_swarm_is_an_epoch_on(ahead: int, behind: int, is_over: bool) -> None:
    others = [report(EPOCH + 1) for _ in range(ahead)] + [report(EPOCH, client_mode=True) for _ in range(behind)]
    assert is_half_ahead(others, EPOCH) is is_over
