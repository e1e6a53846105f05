"""Real peers: an organiser publishes another run under the same name while a volunteer is away, and nobody trains it.

The volunteer is a real client with real workers. What it trains is seen from its workers' own words.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import msgspec
import psutil
import pytest

from core.client.session import Session
from core.errors import ErrorKind
from core.protocol.events import CheckpointSaved, Failed, Published, RunFound, TrainingStarted
from core.run.address import JoinAddress
from core.run.manifest import RunManifest
from core.run.spec.recipe import ArithmeticGPT
from core.texts.consent import changes_since
from tests.support.client_harness import FrontEnd
from tests.support.computer.loopback import free_port
from tests.support.consents import consent_to
from tests.support.peers import slow_computer
from tests.support.real_peers import LIMIT_SECONDS, Peer, PeerGroup, tiny

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(900)]

FIRST = tiny()
OTHER = msgspec.structs.replace(tiny(), recipe=ArithmeticGPT(layers=2, width=64, heads=2))
TOLD = msgspec.structs.replace(OTHER, run=msgspec.structs.replace(OTHER.run, name="Sums", notice="Thank you."))


class Organiser:
    """One organiser, at one address and with one key, whatever it publishes."""

    def __init__(self, group: PeerGroup) -> None:
        self._group = group
        self._listen = (f"/ip4/127.0.0.1/tcp/{free_port()}",)
        self._peer: Peer | None = None

    def publish(self, manifest: RunManifest) -> str:
        """Publish this, in place of what was published before, and train it; the address."""
        if self._peer is not None:
            assert self._peer.leave() == 0
            for checkpoint in self._peer.home.rglob("*.safetensors"):
                checkpoint.unlink()  # of another model, perhaps
        self._peer = self._group.organiser(manifest=manifest, listen=self._listen)
        self._peer.wait_for(TrainingStarted)
        return self._peer.posted


@pytest.fixture
def volunteer(tmp_path: Path) -> Iterator[FrontEnd]:
    """A front end with real workers."""
    front = FrontEnd(tmp_path / "volunteer", worker_command=slow_computer.WORKER, limit_seconds=LIMIT_SECONDS)
    yield front
    front.client.close()


def trained_parameters(front: FrontEnd) -> list[int]:
    """The sizes of the models that the volunteer's workers have begun to train, one for each start."""
    return [event.parameters for event in front.happened(TrainingStarted) if isinstance(event, TrainingStarted)]


def join_and_train(front: FrontEnd, address: str) -> None:
    """Look at the run there, agree, and train."""
    front.client.start(front.search(JoinAddress.parse(address)), device="cpu", threads=1)
    front.until(lambda session: session.progress is not None)


def publish_during_a_pause(front: FrontEnd, organiser: Organiser, manifest: RunManifest) -> None:
    """The volunteer pauses, the organiser publishes this, and the volunteer resumes."""
    front.client.pause()
    front.until(lambda session: session.phase == "paused")
    organiser.publish(manifest)
    front.client.resume()


def asks(session: Session) -> bool:
    """The changed run is found, and waits for a person."""
    return session.is_changed and session.phase == "found" and session.is_search_finished


def kill_worker(front: FrontEnd) -> None:
    """The worker dies as in a crash of its libraries, and the client has noticed.

    One that has been alone for long, on a busy computer, may have ended by itself.
    """
    for child in psutil.Process().children():
        with contextlib.suppress(psutil.NoSuchProcess, psutil.ZombieProcess):
            if slow_computer.is_worker(child.cmdline()):
                child.kill()
    front.until(lambda session: session.restarting is not None or not session.is_worker_running)


def test_a_run_that_was_changed_during_a_pause_is_not_trained_unasked_and_other_words_about_it_ask_nobody(
    group: PeerGroup, volunteer: FrontEnd
) -> None:
    organiser = Organiser(group)
    join_and_train(volunteer, organiser.publish(FIRST))
    publish_during_a_pause(volunteer, organiser, OTHER)
    (changed,) = volunteer.until(asks).runs
    first = trained_parameters(volunteer)
    assert len(set(first)) == 1, "the other model was begun"
    assert "recipe.width: 32 → 64" in changes_since(FIRST, changed.manifest)

    volunteer.client.start(changed, device="cpu", threads=1)
    volunteer.until(lambda session: session.progress is not None)
    (wide,) = set(trained_parameters(volunteer)) - set(first)
    publish_during_a_pause(volunteer, organiser, TOLD)
    told = volunteer.until(lambda session: session.progress is not None).chosen
    assert told is not None and told.manifest.run.notice == "Thank you."
    began = trained_parameters(volunteer)
    assert len(began) >= len(first) + 2 and set(began[len(first) :]) == {wide}


def test_a_run_that_was_changed_is_not_trained_unasked_after_crashes_of_the_worker(
    group: PeerGroup, volunteer: FrontEnd
) -> None:
    organiser = Organiser(group)
    join_and_train(volunteer, organiser.publish(FIRST))
    organiser.publish(OTHER)
    kill_worker(volunteer)
    volunteer.until(asks)
    kill_worker(volunteer)  # while the person reads it
    volunteer.until(lambda session: session.phase == "connecting")
    session = volunteer.until(asks)
    assert session.agreed is not None and session.agreed.manifest.recipe == FIRST.recipe
    assert len(set(trained_parameters(volunteer))) == 1, "the other model was begun"


def test_a_worker_trains_nothing_but_what_the_digest_is_of(group: PeerGroup) -> None:
    """Whatever a client may tell it."""
    organiser = group.organiser(train=False)
    worker = group.seeker(organiser.posted, "volunteer")
    found = worker.wait_for(RunFound)
    shown = msgspec.structs.replace(found, manifest=OTHER)
    worker.send(consent_to(shown))
    failed = worker.wait_for(Failed)
    assert failed.problem == ErrorKind.RUN_CHANGED.key
    assert worker.ended() != 0
    assert worker.all(TrainingStarted) == []


def test_a_model_that_does_not_fit_what_was_saved_is_refused_before_it_is_signed_and_nothing_is_put_aside(
    group: PeerGroup,
) -> None:
    organiser = group.organiser(manifest=FIRST)
    organiser.wait_for(CheckpointSaved)
    assert organiser.leave() == 0
    kept = {path: path.read_bytes() for path in organiser.home.rglob("*") if path.suffix in (".json", ".safetensors")}
    again = group.starting_organiser("organiser", OTHER)
    assert "another model" in str(again.wait_for(Failed).detail)
    again.ended()
    assert not again.all(Published) and not list(organiser.home.rglob("*.broken-*"))
    assert {path: path.read_bytes() for path in kept} == kept, "neither the manifest nor a checkpoint has changed"
    assert group.organiser(manifest=FIRST).wait_for(Published).revision == FIRST.revision
