"""What a stranger claims of its progress changes nothing until somebody has shown it: nobody stands still for it."""

from __future__ import annotations

from typing import Any

import pytest

from core.protocol.events import (
    AnyEvent,
    CheckpointSaved,
    Evaluated,
    Progress,
    RoundFinished,
    TrainingStarted,
    Warned,
)
from core.run.manifest import RunManifest
from tests.support.real_peers import RUN_ID, LineProcess, PeerGroup, averaged, tiny

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(900)]

EPOCHS = 3


def stranger(group: PeerGroup, kind: str, address: str, manifest: RunManifest) -> LineProcess[dict[str, Any]]:
    """One that claims something, and is at it."""
    folder = group.script_folder(kind, manifest)
    script = group.script(kind, "tests.integration.foreign.claiming_peer", kind, RUN_ID, str(folder), address)
    script.until(lambda said: said.get("is_stored", True) and "claims" in said)
    return script


def goes_on(peer: LineProcess[AnyEvent], epochs: int = EPOCHS) -> None:
    """Wait until it is some epochs further."""
    epoch = peer.all(Progress)[-1].epoch
    peer.wait_for(Progress, lambda progress: progress.epoch >= epoch + epochs)


def local_sgd() -> RunManifest:
    """The smallest run of the other mode."""
    return tiny(mode="local-sgd", inner_steps_min=1)


MODES = pytest.mark.parametrize(
    "manifest",
    [pytest.param(tiny(), id="gradients"), pytest.param(local_sgd(), id="local-sgd", marks=pytest.mark.faults)],
)


@MODES
def test_a_record_of_an_epoch_that_nobody_has_stops_nobody(group: PeerGroup, manifest: RunManifest) -> None:
    organiser = group.organiser(manifest=manifest)
    volunteer = group.volunteer(organiser.posted, "volunteer")
    volunteer.wait_for(RoundFinished, averaged)
    since = {peer: len(peer.said) for peer in (organiser, volunteer)}
    script = stranger(group, "phantom", organiser.posted, manifest)
    claimed = script.said[-1]["claims"]
    for peer, here in since.items():
        goes_on(peer)
        peer.wait_for(RoundFinished, averaged, since=here)
        assert peer.epoch < claimed
    newcomer = group.volunteer(organiser.posted, "newcomer")
    newcomer.wait_for(RoundFinished, averaged)
    assert newcomer.epoch < claimed
    for peer, here in since.items():
        stall = max(event.stalled_seconds or 0.0 for event in peer.all(Progress, here))
        print(f"\n{peer.home.name}: the longest stand-still is {stall:.1f} s")


@pytest.mark.faults
def test_an_untrained_state_of_a_far_epoch_is_taken_by_nobody(group: PeerGroup) -> None:
    organiser = group.organiser()
    volunteer = group.volunteer(organiser.posted, "volunteer")
    volunteer.wait_for(RoundFinished, averaged)
    organiser.reaches(EPOCHS)
    script = stranger(group, "untrained", organiser.posted, tiny())
    claimed = script.said[-1]["claims"]
    here = {peer: len(peer.said) for peer in (organiser, volunteer)}
    for peer, since in here.items():
        goes_on(peer)
        assert not [event for event in peer.all(Warned, since) if "state" in event.problem], "it was looked for"
        learnt = peer.all(Evaluated)
        assert all(event.epoch < claimed for event in learnt)
        first, last = learnt[0].loss, learnt[-1].loss
        assert first is not None and last is not None and last < first
    assert all(event.epoch < claimed for event in organiser.all(CheckpointSaved))
    newcomer = group.volunteer(organiser.posted, "newcomer", "client")
    assert newcomer.wait_for(TrainingStarted).epoch < claimed
    newcomer.wait_for(RoundFinished, averaged)
    assert newcomer.epoch < claimed
