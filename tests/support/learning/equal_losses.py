"""When peers that were apart have the same weights again, by their losses on the same held-out samples."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from core.protocol.events import Evaluated
from tests.support.real_peers import Peer

MORE_EPOCHS = 6  # in which who comes back has the weights of the others: a round moves it no further than a bound


def losses_of(peer: Peer) -> dict[int, float | None]:
    """Its losses on the held-out samples by epoch, with the weights that it began that epoch with."""
    return {event.epoch: event.loss for event in peer.all(Evaluated)}


def wait_for_equal_losses(peers: Sequence[Peer], first: int) -> None:
    """Until all have begun one of some epochs, of which that is the first, with the same loss."""

    def are_equal(epoch: int) -> bool:
        told = [losses_of(peer).get(epoch) for peer in peers]
        return None not in told and told == pytest.approx([told[0]] * len(told), rel=0.02)

    peers[0].wait_for(Evaluated, lambda _: any(map(are_equal, range(first, first + MORE_EPOCHS + 1))))
