"""A run that its organiser pauses, changes, drains and ends for all; a newcomer sees it before it agrees."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from core.errors import ErrorKind
from core.protocol.events import AnyEvent, CheckpointSaved, Failed, Left, Progress, RoundFinished, RunFound
from core.run.manifest import SteeringSpec
from core.run.steering.control_value import OrderState
from tests.support.consents import consent_to
from tests.support.learning.equal_losses import wait_for_equal_losses
from tests.support.peers.slow_computer import SAMPLES_PER_SECOND
from tests.support.real_peers import RUN_ID, LineProcess, Peer, PeerGroup, averaged, survivors, tiny, workerbee

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(1800)]

OBEYED_SECONDS = 120.0  # a minute, on a computer that does nothing else
CHANGED_SECONDS = 600.0  # a change begins up to ten epochs later, of which each may last half a minute
MAX_CHANGE = 4.0
MANIFEST = msgspec.structs.replace(tiny(), steering=SteeringSpec(max_change=MAX_CHANGE))
REPORTS = 12  # of a peer that is paused: six seconds at the least, a good half of an epoch


def wait_for_order(peer: LineProcess[AnyEvent], state: OrderState, since: int = 0) -> RunFound:
    """What a peer tells once it has heard of that order."""
    return peer.wait_for(RunFound, lambda found: found.order.state == state, since=since, seconds=OBEYED_SECONDS)


def wait_until_still(peers: Sequence[LineProcess[AnyEvent]]) -> None:
    """Once what was under way has ended, these compute nothing and stay in their epochs for some reports."""
    for peer, since in [(peer, len(peer.said)) for peer in peers]:
        told = list[tuple[int, int]]()

        def is_still(report: Progress, told: list[tuple[int, int]] = told) -> bool:
            told.append((report.epoch, report.contributed_samples))
            return len(told) > REPORTS and len(set(told[-REPORTS:])) == 1

        peer.wait_for(Progress, is_still, since=since)


def numbers_of_epochs(peer: Peer, since: int) -> dict[int, tuple[float | None, int]]:
    """Learning rate and target batch size that a peer reports last of each epoch from that one on, but the present."""
    told = {each.epoch: (each.learning_rate, each.target) for each in peer.all(Progress) if each.epoch >= since}
    return {epoch: numbers for epoch, numbers in told.items() if epoch < peer.epoch}


def write_run_file(path: Path, learning_rate: float, target_batch_size: int, max_change: float = MAX_CHANGE) -> None:
    """The run as it was published, but for these numbers."""
    path.write_text(
        f"""
        run = {{ id = "{RUN_ID}", name = "Tiny sums" }}
        recipe = {{ kind = "arithmetic-gpt", layers = 1, width = 32, heads = 2 }}
        data = {{ kind = "sums", digits = 1 }}
        optimizer = {{ name = "adamw", max_grad_norm = "none", learning_rate = {learning_rate} }}
        steering = {{ max_change = {max_change} }}
        [collaboration]
        target_batch_size = {target_batch_size}
        batch_size_per_step = 60
        matchmaking_time = 3.0
        averaging_timeout = 20.0
        """
    )


def pause_over_a_restart(group: PeerGroup, organiser: Peer, volunteers: Sequence[Peer]) -> Peer:
    """All pause, the organiser comes back meanwhile, and all go on together; the organiser that came back."""
    (told,) = workerbee(organiser.home, "steer", RUN_ID, "pause", "The data moves house.")
    for peer in (organiser, *volunteers):
        assert wait_for_order(peer, "paused").order.reason == "The data moves house."
    wait_until_still((organiser, *volunteers))
    seeker = group.seeker(organiser.posted, "seeker")
    assert seeker.wait_for(RunFound).order.reason == "The data moves house."

    listen = organiser.posted.partition("/p2p/")[0]
    assert seeker.leave() == organiser.leave() == 0
    assert survivors(organiser) == [], "nobody listens on its port any more"
    organiser = group.organiser(manifest=MANIFEST, listen=(listen,))
    assert wait_for_order(organiser, "paused").order.since == told["order"]["since"]
    wait_until_still((organiser, *volunteers))

    here = [len(peer.said) for peer in volunteers]
    epoch = volunteers[0].epoch
    workerbee(organiser.home, "steer", RUN_ID, "resume")
    for peer, since in zip(volunteers, here, strict=True):
        wait_for_order(peer, "running", since)
        peer.wait_for(RoundFinished, averaged, since=since)
        peer.wait_for(Progress, lambda progress: progress.epoch >= epoch + 2, since=since)
    return organiser


def change_numbers(organiser: Peer, volunteers: Sequence[Peer]) -> None:
    """From the same epoch on all use another learning rate and target, and still have the same weights."""
    before = (MANIFEST.optimizer.learning_rate, MANIFEST.collaboration.target_batch_size)
    after = (before[0] / 2, before[1] * 3 // 4)
    write_run_file(organiser.home / "run.toml", *after)
    workerbee(organiser.home, "run", "edit", RUN_ID, str(organiser.home / "run.toml"), "--yes")
    told = [peer.wait_for(RunFound, lambda found: bool(found.edits)) for peer in (organiser, *volunteers)]
    (begins,) = {found.edits[-1].from_epoch for found in told}
    assert begins is not None
    later = begins + 2
    for peer in (organiser, *volunteers):
        peer.wait_for(Progress, lambda progress: progress.epoch >= later, seconds=CHANGED_SECONDS)
        for epoch, numbers in numbers_of_epochs(peer, begins - 1).items():
            assert numbers == pytest.approx(before if epoch < begins else after), f"in epoch {epoch}, not {begins}"
    wait_for_equal_losses((organiser, *volunteers), later)


@pytest.mark.faults
def test_a_larger_target_ends_the_wait_of_epochs_that_were_too_short(group: PeerGroup) -> None:
    """Two computers compute an epoch's samples in a second, and matchmaking alone takes three; then they need eight."""
    short, factor = tiny(target_batch_size=round(2 * SAMPLES_PER_SECOND)), 8
    manifest = msgspec.structs.replace(short, steering=SteeringSpec(max_change=factor))
    organiser = group.organiser(manifest=manifest)
    peers = (organiser, group.volunteer(organiser.posted, "volunteer"))
    for peer in peers:
        peer.wait_for(Progress, lambda progress: progress.is_waiting)
    file = organiser.home / "run.toml"
    target = short.collaboration.target_batch_size * factor
    write_run_file(file, short.optimizer.learning_rate, target, max_change=factor)
    workerbee(organiser.home, "run", "edit", RUN_ID, str(file), "--yes")
    for peer in peers:
        begins = peer.wait_for(RunFound, lambda found: bool(found.edits)).edits[-1].from_epoch
        assert begins is not None
        for epoch in range(begins, begins + 4):  # each has its own limit
            peer.reaches(epoch)
        later = [each for each in peer.all(Progress) if each.epoch >= begins + 2]
        assert later and not any(each.is_waiting for each in later)


def test_a_run_is_paused_over_a_restart_changed_in_one_epoch_drained_and_ended_for_all(group: PeerGroup) -> None:
    organiser = group.organiser(manifest=MANIFEST)
    address = organiser.posted
    volunteers = [group.volunteer(address, name) for name in ("first", "second")]
    for peer in (organiser, *volunteers):
        peer.wait_for(RoundFinished, averaged)
    organiser = pause_over_a_restart(group, organiser, volunteers)
    change_numbers(organiser, volunteers)

    workerbee(organiser.home, "steer", RUN_ID, "drain", "Maintenance.")
    for peer in volunteers:
        at_epoch = wait_for_order(peer, "draining").order.at_epoch
        assert peer.ended() == 0 and peer.all(Left) and not peer.all(Failed)
        assert at_epoch is not None and peer.epoch >= at_epoch - 1
    organiser.wait_for(CheckpointSaved, lambda saved: saved.epoch >= (at_epoch or 0))

    here = len(organiser.said)
    workerbee(organiser.home, "steer", RUN_ID, "resume")
    wait_for_order(organiser, "running", since=here)
    client = group.client(address, "client")
    workerbee(organiser.home, "steer", RUN_ID, "end", "It knows its sums.", "--yes")
    found = wait_for_order(client, "ended")
    assert found.manifest.run.state == "finished" and found.edits
    assert client.ended() == 0 and client.all(Left) and not client.all(Failed)
    assert "Thank you for helping: It knows its sums." in (group.folder / "client" / "client.log").read_text()
    assert not list((group.folder / "client").rglob("unfinished_run.json"))
    wait_for_order(organiser, "ended")
    late = group.seeker(address, "late")
    found = late.wait_for(RunFound)
    assert found.manifest.run.state == "finished"
    late.send(consent_to(found))
    assert late.wait_for(Failed).problem == ErrorKind.RUN_NOT_OPEN.key
