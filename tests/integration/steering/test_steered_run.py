"""A run that its organiser pauses, resumes and ends for all, over a restart of its own; a newcomer sees it first."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from core.engine.worker_command import worker_environment
from core.errors import ErrorKind
from core.protocol.events import AnyEvent, CheckpointSaved, Failed, Left, Progress, RoundFinished, RunFound
from core.run.steering.control_value import OrderState
from tests.support.consents import consent_to
from tests.support.real_peers import RUN_ID, LineProcess, PeerGroup, averaged

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(900)]

OBEYED_SECONDS = 60.0
REPORTS = 12  # of a peer that is paused: six seconds at the least, a good half of an epoch


def workerbee(home: Path, *words: str) -> list[dict[str, Any]]:
    """What that command of a person with that home folder prints, a JSON object a line."""
    command = [sys.executable, "-m", "core.cli", *words, "--json"]
    environment = {**worker_environment(), "WORKERBEE_HOME": str(home)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def wait_for_order(peer: LineProcess[AnyEvent], state: OrderState, since: int = 0) -> RunFound:
    """What a peer tells once it has heard of that order."""
    return peer.wait_for(RunFound, lambda found: found.order.state == state, since=since, seconds=OBEYED_SECONDS)


def stands_still(peer: LineProcess[AnyEvent]) -> bool:
    """Whether a peer computes nothing and stays in its epoch for some reports, the first of which it may have begun."""
    since = len(peer.said)
    first = peer.wait_for(Progress, since=since)
    while len(peer.all(Progress, since)) < REPORTS:
        peer.wait_for(Progress, since=len(peer.said))
    last = peer.all(Progress, since)[-1]
    return (last.epoch, last.contributed_samples) == (first.epoch, first.contributed_samples)


def test_all_peers_pause_over_a_restart_of_the_organiser_learn_on_together_and_leave_an_ended_run_in_peace(
    group: PeerGroup,
) -> None:
    organiser = group.organiser()
    address = organiser.posted
    volunteer, client = group.volunteer(address, "volunteer"), group.client(address, "client")
    for peer in (organiser, volunteer, client):
        peer.wait_for(RoundFinished, averaged)

    (told,) = workerbee(organiser.home, "steer", RUN_ID, "pause", "The data moves house.")
    everybody: list[LineProcess[AnyEvent]] = [organiser, volunteer, client]
    for peer in everybody:
        assert wait_for_order(peer, "paused").order.reason == "The data moves house."
    assert all(stands_still(peer) for peer in everybody)

    newcomer = group.seeker(address, "newcomer")
    assert newcomer.wait_for(RunFound).order.reason == "The data moves house."
    newcomer.agree()
    assert stands_still(newcomer) and newcomer.all(Progress)[-1].contributed_samples == 0

    listen = address.partition("/p2p/")[0]
    assert organiser.leave() == 0
    organiser = group.organiser(listen=(listen,))
    assert wait_for_order(organiser, "paused").order.since == told["order"]["since"]
    assert stands_still(organiser) and stands_still(volunteer)

    everybody = [organiser, volunteer, client, newcomer]
    here = [len(peer.said) for peer in everybody]
    workerbee(organiser.home, "steer", RUN_ID, "resume")
    epoch = volunteer.epoch
    for peer, since in zip(everybody, here, strict=True):
        wait_for_order(peer, "running", since)
        peer.wait_for(RoundFinished, averaged, since=since)
        peer.wait_for(Progress, lambda progress: progress.epoch >= epoch + 2, since=since)

    workerbee(organiser.home, "steer", RUN_ID, "end", "It knows its sums.", "--yes")
    for peer in (volunteer, client, newcomer):
        found = wait_for_order(peer, "ended")
        assert found.manifest.run.state == "finished" and found.order.reason == "It knows its sums."
        assert peer.ended() == 0 and peer.all(Left) and not peer.all(Failed)
    assert "Thank you for helping: It knows its sums." in (group.folder / "client" / "client.log").read_text()
    assert not list((group.folder / "client").rglob("unfinished_run.json"))
    wait_for_order(organiser, "ended")
    organiser.wait_for(CheckpointSaved, lambda saved: saved.epoch == organiser.epoch)

    late = group.seeker(address, "late")
    found = late.wait_for(RunFound)
    assert found.manifest.run.state == "finished"
    late.send(consent_to(found))
    assert late.wait_for(Failed).problem == ErrorKind.RUN_NOT_OPEN.key
