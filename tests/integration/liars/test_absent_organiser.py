"""There is no master node: a run goes on without its organiser, who then takes the state of most, and no liar's."""

from __future__ import annotations

import pytest

from core.protocol.events import CheckpointSaved, Evaluated, RoundFinished
from tests.integration.foreign.test_false_claims import stranger
from tests.support.real_peers import Peer, PeerGroup, averaged, tiny

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(900)]

EPOCHS_ALONE = 12  # more than a stranger's state may be ahead of the others


def loss_of(peer: Peer) -> float:
    """The last on held-out samples."""
    loss = peer.all(Evaluated)[-1].loss
    assert loss is not None
    return loss


def in_a_round_of(members: int, peer: Peer) -> None:
    """Wait until it averages gradients with that many, itself included."""
    peer.wait_for(
        RoundFinished,
        lambda event: averaged(event) and event.kind == "gradients" and event.peers == members,
        since=len(peer.said),
    )


@pytest.mark.faults
def test_an_organiser_that_was_away_takes_the_state_of_most_although_a_liar_is_further(group: PeerGroup) -> None:
    organiser = group.organiser()
    volunteers = [group.volunteer(organiser.posted, "direct"), group.volunteer(organiser.posted, "client", "client")]
    in_a_round_of(3, organiser)
    assert organiser.leave() == 0
    left_at, loss = organiser.all(CheckpointSaved)[-1].epoch, loss_of(organiser)

    for volunteer in volunteers:
        volunteer.reaches(left_at + EPOCHS_ALONE)
        in_a_round_of(2, volunteer)
    script = stranger(group, "untrained", volunteers[0].address, tiny())
    claimed = script.said[-1]["claims"]

    returned = group.organiser(listen=(organiser.posted.rpartition("/p2p/")[0],))
    in_a_round_of(3, returned)
    assert left_at + EPOCHS_ALONE <= returned.epoch < claimed
    returned.wait_for(Evaluated, since=len(returned.said))
    assert loss_of(returned) < loss
    assert all(event.epoch < claimed for event in returned.all(CheckpointSaved))
    assert all(volunteer.epoch < claimed for volunteer in volunteers)
