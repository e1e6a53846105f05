"""A run whose organiser is lost goes on under the successor that it has named: all obey that one, and nobody else."""

from __future__ import annotations

import itertools
import shutil

import msgspec
import pytest

from core.errors import ErrorKind
from core.files.folders import DataFolder
from core.files.locks import PeerFiles
from core.protocol.commands import Succession
from core.protocol.events import (
    CheckpointSaved,
    Failed,
    Published,
    RoundFinished,
    RunFound,
    TrainingStarted,
    Warned,
)
from core.run.manifest import SuccessionSpec
from core.run.multiaddr import Multiaddr
from core.security.identity import Identity
from core.worker.swarm import kept_blocks_file
from tests.integration.steering.test_steered_run import wait_for_order
from tests.support.consents import consent_to
from tests.support.real_peers import RUN_ID, Peer, PeerGroup, averaged, tiny, workerbee

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(1500)]

SILENCE_SECONDS = 30  # longer than an organiser stands still on a busy computer, which signs every sixth of it


def folder_of(group: PeerGroup, home: str) -> PeerFiles:
    """The folder of the run that is published from there, with a key in it."""
    files = PeerFiles(DataFolder(group.folder / home / "data").organiser_of(RUN_ID))
    files.path.mkdir(parents=True, mode=0o700, exist_ok=True)
    Identity.load_or_create(files.identity_path)
    return files


def attempt(group: PeerGroup, home: str, organiser: str, address: str) -> Peer:
    """Somebody with the key that lies there tries to take the run over; published, or refused."""
    succession = Succession(organiser=organiser, addresses=(Multiaddr(address),))
    peer = group.starting_organiser(home, tiny(), succession=succession)
    peer.until(lambda event: isinstance(event, Published | Failed))
    return peer


def refusal(peer: Peer) -> str:
    """Why it may not; it has ended."""
    peer.ended()
    (failed,) = peer.all(Failed)
    assert failed.problem == ErrorKind.USAGE.key
    return str(failed.detail)


def takes_over(group: PeerGroup, home: str, organiser: str, address: str) -> Peer:
    """Who leads the run on from there, once it may."""
    attempts = (attempt(group, home, organiser, address) for _ in itertools.count())
    return next(peer for peer in attempts if peer.all(Published))


def follows(peer: Peer, leader: str) -> None:
    """Wait until it knows that this one leads the run; it has not failed."""
    peer.wait_for(Warned, lambda event: event.problem == ErrorKind.RUN_TAKEN_OVER.key and leader in str(event.detail))
    assert not peer.all(Failed)


def refusal_of_leader(peer: Peer) -> str:
    """The key of who leads the run now, as this one is told, which has led it; it has ended."""
    told = peer.wait_for(Failed)
    peer.ended()
    assert told.problem == ErrorKind.RUN_TAKEN_OVER.key
    return str(told.detail)


@pytest.mark.parametrize("mode", ["gradients", pytest.param("local-sgd", marks=pytest.mark.faults)])
def test_volunteers_obey_the_named_successor_after_the_organisers_silence_and_the_organiser_sees_it(
    group: PeerGroup, mode: str
) -> None:
    ours = folder_of(group, "successor")
    key = Identity.load_or_create(ours.identity_path).peer_id
    succession = SuccessionSpec(keys=(key,), after_seconds=SILENCE_SECONDS)
    manifest = msgspec.structs.replace(tiny(mode=mode), succession=succession)
    organiser = group.organiser(manifest=manifest)
    first, posted = organiser.peer_id, organiser.posted
    volunteer = group.volunteer(posted, "volunteer")
    helper = group.volunteer(f"{posted} {volunteer.address}", "helper", "client")
    for each in (volunteer, helper):
        each.wait_for(RoundFinished, averaged)
    folder_of(group, "stranger")
    if mode == "gradients":
        assert "names other keys" in refusal(attempt(group, "stranger", first, volunteer.address))
        assert "may take over after" in refusal(attempt(group, "successor", first, volunteer.address))
    else:
        organiser.wait_for(CheckpointSaved, lambda saved: saved.epoch > 0)
        shutil.copy(folder_of(group, "organiser").checkpoint_file, ours.checkpoint_file)
    organiser.kill()

    successor = takes_over(group, "successor", first, volunteer.address)
    assert successor.peer_id == key
    for each in (volunteer, helper):
        assert key in str(each.wait_for(Warned, lambda event: event.problem == ErrorKind.RUN_TAKEN_OVER.key).detail)
        assert not each.all(Failed)
    assert successor.wait_for(TrainingStarted).epoch > 0
    successor.wait_for(RoundFinished, averaged)

    workerbee(successor.home, "steer", RUN_ID, "pause", "We look at it.")
    for each in (volunteer, helper):
        assert wait_for_order(each, "paused").organiser == first, "it is the run that they have agreed to"
    there = (posted.rpartition("/p2p/")[0],)  # by which the others may find it before it has published anything
    returned = group.starting_organiser("organiser", manifest, listen=there)
    told = returned.wait_for(Failed)
    assert told.problem == ErrorKind.RUN_TAKEN_OVER.key and key in str(told.detail)
    returned.ended()
    workerbee(successor.home, "steer", RUN_ID, "resume")
    for each in (volunteer, helper):
        wait_for_order(each, "running", each.said.index(wait_for_order(each, "paused")))
    newcomer = group.seeker(successor.posted, "newcomer", "client")
    assert newcomer.wait_for(RunFound).vouched
    successor.wait_for(RoundFinished, averaged, since=len(successor.said))


@pytest.mark.faults
def test_whom_the_organiser_has_blocked_both_successors_keep_out_until_it_takes_its_run_back(group: PeerGroup) -> None:
    first, second = (
        Identity.load_or_create(folder_of(group, home).identity_path).peer_id for home in ("first", "second")
    )
    manifest = msgspec.structs.replace(tiny(), succession=SuccessionSpec(keys=(first, second), after_seconds=10))
    organiser = group.organiser(manifest=manifest)
    ours, posted = organiser.peer_id, organiser.posted
    volunteer = group.volunteer(posted, "volunteer")
    theirs = PeerFiles(DataFolder(group.folder / "outcast" / "data").peers / "1").identity_path
    theirs.parent.mkdir(parents=True, mode=0o700)
    outcast = Identity.load_or_create(theirs)
    workerbee(organiser.home, "block", outcast.peer_id, "--for", "1h")
    kept = kept_blocks_file(DataFolder(volunteer.home / "data").peers / "1", RUN_ID)
    volunteer.until(lambda _event: kept.is_file())
    organiser.kill()

    for home, key in (("first", first), ("second", second)):
        successor = takes_over(group, home, ours, volunteer.address)
        assert successor.peer_id == key
        follows(volunteer, key)
        (listed,) = workerbee(successor.home, "block")
        assert [each["peer"] for each in listed["blocks"]] == [outcast.peer_id]
        if home == "first":
            successor.kill()
    returning = group.seeker(f"{successor.posted} {volunteer.address}", "outcast", "client")
    returning.send(consent_to(returning.wait_for(RunFound)))
    assert returning.wait_for(Failed).problem == ErrorKind.BLOCKED.key

    back = group.organiser(manifest=tiny(), listen=(posted.rpartition("/p2p/")[0],))
    assert ours in refusal_of_leader(successor)
    follows(volunteer, ours)
    (lifted,) = workerbee(back.home, "block", outcast.peer_id, "--lift")
    assert lifted["blocks"] == []
    admitted = group.volunteer(f"{back.posted} {volunteer.address}", "outcast", "client")
    assert admitted.peer_id == outcast.peer_id and not admitted.all(Failed)
