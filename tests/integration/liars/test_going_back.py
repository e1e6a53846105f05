"""Where a bad state was taken, the organiser goes back to an earlier checkpoint, and who comes again goes with it."""

from __future__ import annotations

import msgspec
import pytest

from core.protocol.events import CheckpointSaved, Evaluated, Progress, RoundFinished
from core.run.spec.optimizer import AdamW
from tests.support.real_peers import Peer, PeerGroup, averaged, tiny

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(600)]

BACK_TO = 2
LEFT_AT = 4
NOISE = {"gradients": 0.01, "local-sgd": 0.15}  # of a loss, from other samples
ALIKE = {"gradients": 0.02, "local-sgd": 1e-6}  # relative, of two peers' losses at one epoch


def losses(peer: Peer) -> dict[int, float]:
    """What it has measured on held-out samples, by epoch."""
    return {event.epoch: event.loss for event in peer.all(Evaluated) if event.loss is not None}


@pytest.mark.parametrize("mode", ALIKE)
def test_an_organiser_goes_back_and_volunteers_who_come_again_go_with_it(group: PeerGroup, mode: str) -> None:
    slowly = AdamW(learning_rate=5e-4, max_grad_norm=None)
    manifest = msgspec.structs.replace(tiny(mode=mode), optimizer=slowly)
    organiser = group.organiser(manifest=manifest)
    volunteer = group.volunteer(organiser.posted, "volunteer")
    volunteer.wait_for(RoundFinished, averaged)
    organiser.wait_for(CheckpointSaved, lambda event: event.epoch >= LEFT_AT)
    assert volunteer.leave() == organiser.leave() == 0
    before = losses(organiser)

    listen = (organiser.posted.rpartition("/p2p/")[0],)
    returned = group.organiser(manifest=manifest, listen=listen, from_checkpoint=BACK_TO)
    assert returned.wait_for(Progress).epoch == BACK_TO
    again = group.volunteer(returned.posted, "volunteer")
    # who asks before the organiser has published its signed scores anew begins at 0, and downloads a moment later
    assert again.reaches(BACK_TO).epoch <= returned.epoch
    again.wait_for(RoundFinished, averaged, since=len(again.said))

    def are_alike(epoch: int) -> bool:
        ours, theirs = losses(returned).get(epoch), losses(again).get(epoch)
        return None not in (ours, theirs) and ours == pytest.approx(theirs, rel=ALIKE[mode])

    again.wait_for(Evaluated, lambda event: are_alike(event.epoch - 1))
    first, loss = next(iter(losses(returned).items()))
    assert first == BACK_TO + 1
    between = sorted([before[BACK_TO], before[first]])  # the checkpoint's, and that of a step from it
    assert between[0] * (1 - NOISE[mode]) < loss < between[1] * (1 + NOISE[mode])
