"""The organiser takes a run back to a checkpoint: everybody gives up what came after it, and all go on from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from core.errors import ErrorKind
from core.protocol.events import (
    AnyEvent,
    CheckpointSaved,
    Evaluated,
    Failed,
    Left,
    Progress,
    Restarting,
    RoundFinished,
    TrainingStarted,
)
from core.run.spec.optimizer import AdamW
from tests.integration.fleet.test_watching import fleet
from tests.integration.steering.test_steered_run import wait_for_order
from tests.support.real_peers import (
    PATIENCE_SECONDS,
    RUN_ID,
    LineProcess,
    PeerGroup,
    averaged,
    survivors,
    tiny,
    workerbee,
)

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(1200)]

CHECKPOINT_EVERY = 2  # epochs; so the one to go back to is not the oldest for half a minute
NOISE = 0.01  # of a loss with gradients, from other samples; inner optimizers of local SGD begin anew, with more
ALIKE = {"gradients": 0.02, "local-sgd": 1e-6}  # relative, of two peers' losses at one epoch

Person = LineProcess[AnyEvent]


def losses(person: Person, since: int = 0) -> dict[int, float]:
    """What it has measured on held-out samples, by epoch."""
    return {event.epoch: event.loss for event in person.all(Evaluated, since) if event.loss is not None}


def agree(told: Sequence[dict[int, float]], mode: str) -> bool:
    """Whether all have measured the same at the latest epoch that they have in common."""
    common = set.intersection(*map(set, told))
    last = [each[max(common)] for each in told] if common else []
    return bool(last) and last == pytest.approx([last[0]] * len(last), rel=ALIKE[mode])


def told_to_go_back(person: Person, epoch: int) -> int:
    """Where, in what it says, the person is told why the worker ends, and from which epoch all go on."""
    told = person.wait_for(Failed, lambda event: event.problem == ErrorKind.RUN_ROLLED_BACK.key)
    assert str(told.detail) == f"All go on from epoch {epoch}."
    return person.said.index(told)


def begun_anew(client: Person, epoch: int) -> int:
    """Where, in what it says, it begins anew by itself, in that epoch or a later one."""
    here = told_to_go_back(client, epoch)
    assert client.wait_for(Restarting, since=here).problem == ErrorKind.RUN_ROLLED_BACK.key
    started = client.wait_for(TrainingStarted, since=here)
    assert started.epoch >= epoch
    return client.said.index(started)


@pytest.mark.parametrize(
    ("mode", "is_running"), [("gradients", True), pytest.param("local-sgd", False, marks=pytest.mark.faults)]
)
def test_all_give_up_what_came_after_a_checkpoint_and_go_on_from_it_with_equal_weights(
    group: PeerGroup, mode: str, is_running: bool
) -> None:
    slowly = AdamW(learning_rate=5e-4, max_grad_norm=None)
    manifest = msgspec.structs.replace(tiny(mode=mode), optimizer=slowly)
    wishes: dict[str, Any] = {"manifest": manifest, "checkpoint_every_epochs": CHECKPOINT_EVERY}
    organiser = group.organiser(**wishes)
    address = organiser.posted
    wishes |= {"listen": (address.rpartition("/p2p/")[0],)}
    volunteer, client = group.volunteer(address, "volunteer"), group.client(address, "client")
    client.wait_for(RoundFinished, averaged)
    epoch = organiser.wait_for(CheckpointSaved, since=len(organiser.said)).epoch
    organiser.wait_for(CheckpointSaved, lambda event: event.epoch > epoch)
    before = losses(organiser)
    if is_running:
        workerbee(organiser.home, "run", "rollback", RUN_ID, "--to", str(epoch), "--yes")
        told_to_go_back(organiser, epoch)
        assert organiser.ended() == 0 and organiser.all(Left) and survivors(organiser) == []
        returned = group.organiser(**wishes)
    else:
        assert organiser.leave() == 0 and survivors(organiser) == []
        returned = group.organiser(**wishes, from_checkpoint=epoch)
    assert returned.wait_for(TrainingStarted).epoch == epoch

    told_to_go_back(volunteer, epoch)
    assert volunteer.ended() == 0 and volunteer.all(Left)
    again, here = group.volunteer(address, "volunteer"), begun_anew(client, epoch)
    assert again.all(TrainingStarted)[0].epoch >= epoch
    for person, since in ((again, 0), (client, here)):
        person.wait_for(RoundFinished, averaged, since=since)
    returned.wait_for(
        Evaluated,
        lambda _: agree([losses(returned), losses(again), losses(client, here)], mode),
        seconds=PATIENCE_SECONDS,
    )
    assert not again.all(Failed) and not returned.all(Failed), "each obeys once"
    first, loss = next(iter(losses(returned).items()))
    assert epoch < first <= epoch + CHECKPOINT_EVERY  # on a busy computer others may be a step ahead of it
    between = sorted(before[each] for each in range(epoch, first + 1) if each in before)  # the checkpoint's, and after
    assert mode != "gradients" or between[0] * (1 - NOISE) < loss < between[-1] * (1 + NOISE)


@pytest.mark.faults
@pytest.mark.parametrize("mode", ["gradients", "local-sgd"])
def test_whoever_watches_a_paused_run_sees_its_peers_once_they_have_gone_back_and_before_they_compute(
    group: PeerGroup, mode: str
) -> None:
    wishes: dict[str, Any] = {"manifest": tiny(mode=mode), "checkpoint_every_epochs": CHECKPOINT_EVERY}
    organiser = group.organiser(**wishes)
    address = organiser.posted
    client = group.client(address, "client")
    client.wait_for(RoundFinished, averaged)
    epoch = organiser.wait_for(CheckpointSaved, since=len(organiser.said)).epoch
    workerbee(organiser.home, "steer", RUN_ID, "pause", "We look at it.")
    for person in (organiser, client):
        wait_for_order(person, "paused")

    workerbee(organiser.home, "run", "rollback", RUN_ID, "--to", str(epoch), "--yes")
    told_to_go_back(organiser, epoch)
    assert organiser.ended() == 0
    returned = group.organiser(**wishes, listen=(address.rpartition("/p2p/")[0],))
    here = begun_anew(client, epoch)
    watcher = fleet(group, address)
    seen = watcher.until(lambda each: each.totals.peers == 2)
    assert (seen.state, {peer.epoch for peer in seen.peers}, seen.totals.samples_per_second) == ("paused", {epoch}, 0.0)
    assert not any(event.contributed_samples for event in client.all(Progress, here)[-1:])

    workerbee(organiser.home, "steer", RUN_ID, "resume")
    for person, since in ((returned, 0), (client, here)):
        person.wait_for(RoundFinished, averaged, since=since)
