"""A run goes on without its organiser by the signatures of the keepers that it has named, and by nobody else's."""

from __future__ import annotations

import json

import msgspec
import pytest

from core.files.folders import DataFolder
from core.protocol.events import CheckpointSaved, Evaluated, Progress, RoundFinished, RunScored
from core.run.manifest import RunInfo
from core.run.spec.optimizer import AdamW
from core.security.identity import Identity
from tests.support.learning.equal_losses import losses_of, wait_for_equal_losses
from tests.support.real_peers import PATIENCE_SECONDS, RUN_ID, PeerGroup, averaged, tiny

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(900)]

EPOCHS = 2


def identity_of(group: PeerGroup, home: str) -> str:
    """The peer id that a volunteer will have who lives there."""
    path = DataFolder(group.folder / home / "data").peers / "1" / "identity.key"
    path.parent.mkdir(parents=True, mode=0o700)
    return Identity.load_or_create(path).peer_id


def test_a_newcomer_believes_a_named_keeper_while_the_organiser_is_away_and_nobody_else(group: PeerGroup) -> None:
    keeper_id = identity_of(group, "keeper")
    info = RunInfo(id=RUN_ID, name="Kept sums", keepers=(keeper_id,))
    organiser = group.organiser(manifest=msgspec.structs.replace(tiny(), run=info))
    keeper = group.volunteer(organiser.posted, "keeper")
    assert keeper.peer_id == keeper_id
    other = group.volunteer(organiser.posted, "other", "client")
    keeper.wait_for(RoundFinished, averaged)
    organiser.wait_for(Evaluated)
    assert organiser.leave() == 0
    left_at = max(losses_of(organiser))

    keeper.reaches(left_at + EPOCHS)
    newcomer = group.volunteer(keeper.address, "newcomer", "client")
    scored = newcomer.wait_for(RunScored, lambda event: event.latest.epoch > left_at)
    alone = {each.epoch: each.loss for each in scored.scores if each.epoch > left_at}
    measured = losses_of(keeper)
    assert alone == {epoch: measured[epoch] for epoch in alone}
    newcomer.wait_for(RoundFinished, averaged)
    other.reaches(newcomer.epoch)


def test_an_organiser_that_was_killed_takes_what_its_keeper_has_signed_meanwhile_and_goes_on(group: PeerGroup) -> None:
    info = RunInfo(id=RUN_ID, name="Kept sums", keepers=(identity_of(group, "keeper"),))
    slowly = AdamW(learning_rate=5e-4, max_grad_norm=None)  # every step lowers the loss
    manifest = msgspec.structs.replace(tiny(), run=info, optimizer=slowly)
    organiser = group.organiser(manifest=manifest)
    keeper = group.volunteer(organiser.posted, "keeper")
    other = group.volunteer(f"{organiser.posted} {keeper.address}", "other", "client")
    other.wait_for(RoundFinished, averaged)
    organiser.wait_for(CheckpointSaved, lambda event: event.epoch > 0)
    organiser.until(lambda _event: any(organiser.home.rglob("known/*.json")))
    organiser.kill()
    left_at = organiser.all(CheckpointSaved)[-1].epoch
    further = organiser.epoch + 2 * EPOCHS
    keeper.wait_for(Progress, lambda progress: progress.epoch >= further, seconds=PATIENCE_SECONDS)
    (known,) = organiser.home.rglob("known/*.json")
    known.write_text(json.dumps({"0" * 32: 30}))  # somebody else: at first only its signature speaks for it

    returned = group.organiser(manifest=manifest, listen=(organiser.posted.rpartition("/p2p/")[0],))
    returned.wait_for(RoundFinished, averaged)
    here = len(returned.said)
    first = returned.wait_for(Evaluated, since=here).epoch
    assert first > left_at + EPOCHS
    wait_for_equal_losses((returned, keeper), first)
    returned.reaches(first + EPOCHS)
