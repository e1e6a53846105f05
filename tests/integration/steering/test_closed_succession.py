"""A closed run whose organiser is lost goes on from a checkpoint that its successor has; its tickets hold on."""

from __future__ import annotations

import shutil

import msgspec
import pytest

from core.errors import ErrorKind
from core.files.folders import DataFolder
from core.files.locks import PeerFiles
from core.protocol.events import CheckpointSaved, Evaluated, Failed, RoundFinished, RunFound, TrainingStarted
from core.records.published.checkpoint_history import CheckpointHistory
from core.run.manifest import SuccessionSpec
from core.security.identity import Identity
from tests.integration.liars.test_closed_runs import closed, invite, link_of, refused
from tests.integration.steering.test_succession import SILENCE_SECONDS, folder_of, follows, takes_over
from tests.support.consents import consent_to
from tests.support.real_peers import PeerGroup

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.faults, pytest.mark.timeout(900)]


def key_at(group: PeerGroup, home: str) -> str:
    """The key of the computer with that home, which its person sends to the organiser of a closed run."""
    files = PeerFiles(DataFolder(group.folder / home / "data").peers / "1")
    files.path.mkdir(parents=True, mode=0o700)
    return Identity.load_or_create(files.identity_path).peer_id


def test_a_closed_run_goes_on_from_a_copied_checkpoint_for_all_whom_either_leader_has_invited(group: PeerGroup) -> None:
    ours = folder_of(group, "successor")
    key = Identity.load_or_create(ours.identity_path).peer_id
    succession = SuccessionSpec(keys=(key,), after_seconds=SILENCE_SECONDS)
    organiser = group.organiser(manifest=msgspec.structs.replace(closed(), succession=succession))
    first, posted = organiser.peer_id, organiser.posted
    for home in ("ada", "bob"):
        invite(group.folder / home, link_of(organiser, key_at(group, home), "--until", "1d"))
    for_two = link_of(organiser, "--uses", "2", "--until", "1d")

    ada = group.seeker(posted, "ada")
    organiser.wait_for(CheckpointSaved, lambda saved: saved.epoch > 1)
    shutil.copy(folder_of(group, "organiser").checkpoint_file, ours.checkpoint_file)
    (copied,) = CheckpointHistory(ours.checkpoint_file).all()
    organiser.kill()
    ada.send(consent_to(ada.wait_for(RunFound)))  # she answers for the run, and nobody is left who has its state
    successor = takes_over(group, "successor", first, ada.address)
    assert successor.wait_for(TrainingStarted).epoch == copied.epoch
    follows(ada, key)
    assert ada.wait_for(Evaluated).epoch >= copied.epoch, "she has begun with the checkpoint"
    ada.wait_for(RoundFinished, lambda finished: finished.ok and finished.peers == 2)

    answering = f"{successor.posted} {ada.address}"
    bob = group.volunteer(answering, "bob")
    bob.wait_for(RoundFinished, lambda finished: finished.ok and finished.peers == 3)

    carol = group.seeker(answering, "carol")
    assert carol.wait_for(RunFound).access.standing == "none"
    assert refused(carol).problem == ErrorKind.NOT_INVITED.key
    carol.ended()
    for home, link in (("carol", link_of(successor, carol.peer_id, "--until", "1d")), ("dora", for_two)):
        invite(group.folder / home, link)
        came = group.volunteer(answering, home)
        came.wait_for(RoundFinished, lambda finished: finished.ok and finished.peers >= 3)
    assert not any(person.all(Failed) for person in (ada, bob, successor))
