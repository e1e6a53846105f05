"""Bad days of a run by local SGD: whatever happens to one of three, all go on, and with the same base weights."""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from core.errors import ErrorKind
from core.protocol.events import CaughtUp, CheckpointSaved, Failed, RoundFinished, TrainingStarted
from core.worker.swarm.local_sgd.round_log import MAX_ROUNDS
from core.worker.swarm.trust.epoch_bounds import MAX_LEAD
from tests.bench.local_sgd.recorded_peers import SAMPLES_PER_SECOND, RecordedPeer, RecordedPeers, paced_run
from tests.integration.local_sgd.together import assert_equal_base_weights
from tests.support.checkout import ROOT
from tests.support.computer.loopback import free_port
from tests.support.fault_injection import gave, kill, stop
from tests.support.real_peers import survivors

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(1200)]

RUN = paced_run(target_batch_size=1920, matchmaking_time=2.0, averaging_timeout=15.0)  # a round of four seconds
SLOW = 40.0  # samples per second, with which a round alone lasts 48 seconds
SOON = 2  # rounds
MISSED = 4  # rounds of its own, before the first with others, of who stands still for seconds on a busy computer
FIVE_MINUTES = "300"
FAR_BEHIND = MAX_ROUNDS + 1  # rounds, which no log leads across
FURTHER_THAN_EXPECTED = MAX_LEAD + 4  # of others who do not stand still while we sleep
FAR_SECONDS = 600.0  # for so many, of which each may last a minute on a busy computer


@dataclass
class Trio:
    """An organiser and a volunteer who can be reached, and one who cannot."""

    group: RecordedPeers
    organiser: RecordedPeer
    reachable: RecordedPeer
    client: RecordedPeer

    def everybody(self) -> tuple[RecordedPeer, ...]:
        """As they are now."""
        return self.organiser, self.reachable, self.client

    def goes_on(self) -> None:
        """Wait until all three have averaged with each other; then no base weights differ that ever were in use."""
        try:
            for peer in self.everybody():
                peer.wait_for(RoundFinished, lambda event: gave(event) and event.peers == 3, since=len(peer.said))
        except AssertionError as error:  # why one does not come may be known to another alone
            for peer in self.everybody():
                error.add_note(f"{peer.home.name}: {peer.account()}")
            raise
        assert_equal_base_weights(self.group)

    def goes_far_from(self, peer: RecordedPeer, steps: int) -> None:
        """Wait until the organiser has so many outer steps more than that peer has now; a round may end without one."""
        far = peer.moves()[-1].steps + steps
        here = len(self.organiser.said)
        self.organiser.until(lambda _event: self.organiser.moves()[-1].steps >= far, here, FAR_SECONDS)

    def comes_back(self) -> RecordedPeer:
        """The client, as a new process with what is on its disk."""
        self.client = volunteer(self.group, self.organiser, "client")
        return self.client


def volunteer(group: RecordedPeers, organiser: RecordedPeer, name: str) -> RecordedPeer:
    """One who can be reached, or the client."""
    peer = group.volunteer(organiser.posted, name, "client" if name == "client" else "direct")
    assert isinstance(peer, RecordedPeer)
    return peer


def publish(group: RecordedPeers) -> RecordedPeer:
    """The organiser, where it has been before."""
    peer = group.organiser(manifest=RUN)
    assert isinstance(peer, RecordedPeer)
    return peer


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trio]:
    """The three of all tests here."""
    with contextlib.closing(RecordedPeers(tmp_path_factory.mktemp("faults"))) as group:
        group.listen = f"/ip4/127.0.0.1/tcp/{free_port()}"
        organiser = publish(group)
        yield Trio(group, organiser, *(volunteer(group, organiser, name) for name in ("reachable", "client")))


@pytest.fixture
def trio(shared: Trio) -> Trio:
    """All of them average with each other."""
    shared.goes_on()
    return shared


@pytest.mark.parametrize("goodbye", [True, False], ids=["pauses", "is killed"])
def test_a_volunteer_that_comes_back_helps_in_the_next_rounds(trio: Trio, goodbye: bool) -> None:
    before, epoch = trio.client, trio.organiser.epoch
    if goodbye:
        assert before.leave() == 0
    else:
        before.kill()
    again = trio.comes_back()
    assert again.peer_id == before.peer_id
    assert again.wait_for(TrainingStarted).epoch >= epoch
    first = again.said.index(again.wait_for(RoundFinished, gave))
    missed = [event for event in again.said[:first] if isinstance(event, RoundFinished)]
    assert len(missed) <= MISSED, missed
    trio.goes_on()


def test_who_has_slept_for_many_rounds_has_the_base_weights_of_the_others_again(trio: Trio) -> None:
    told = len(trio.reachable.said)
    stop(asleep := trio.reachable.family)
    try:  # a round is under way, whose step who was asleep takes alone when it wakes
        trio.goes_far_from(trio.reachable, FURTHER_THAN_EXPECTED)
    finally:
        wake(asleep)
    trio.goes_on()
    missed = [after.steps - before.steps for before, after in itertools.pairwise(trio.reachable.moves())]
    assert max(missed) > MAX_ROUNDS
    assert not trio.reachable.wait_for(CaughtUp, lambda event: event.rounds > MAX_ROUNDS, since=told).kept


def wake(family: list[psutil.Process]) -> None:
    """All of it goes on."""
    for process in family:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.send_signal(signal.SIGCONT)


def test_an_organiser_with_an_old_checkpoint_takes_the_newer_state_of_a_volunteer(trio: Trio) -> None:
    old = trio.organiser.wait_for(CheckpointSaved, since=len(trio.organiser.said))
    checkpoint = Path(old.path).read_bytes()
    trio.goes_far_from(trio.organiser, FAR_BEHIND)
    reached = trio.organiser.moves()[-1].steps
    kill(trio.organiser.family)
    trio.organiser.ended()
    assert survivors(trio.organiser) == [], "nobody listens on its port any more"
    Path(old.path).write_bytes(checkpoint)
    for rounds in trio.organiser.home.rglob("rounds"):
        shutil.rmtree(rounds)
    trio.group.pace = SLOW  # it takes no step alone before the others have found it again
    trio.organiser = publish(trio.group)
    trio.group.pace = SAMPLES_PER_SECOND
    trio.goes_on()
    assert trio.organiser.moves()[-1].steps >= reached
    assert all(move.steps > reached for move in trio.organiser.moves() if move.is_step)
    steps = [move.steps for move in trio.reachable.moves()]
    assert steps == sorted(steps)


def test_a_clock_that_is_set_forward_changes_nothing_and_a_wrong_one_is_told(trio: Trio, tmp_path: Path) -> None:
    clock = tmp_path / "clock"
    clock.write_text("0")
    path = os.pathsep.join((str(ROOT), str(ROOT / "tests" / "support" / "environment" / "wrong_clock")))
    there = trio.group.under("env", f"PYTHONPATH={path}", f"WORKERBEE_TEST_CLOCK={clock}")
    trio.client.leave()
    trio.client = volunteer(there, trio.organiser, "client")
    trio.goes_on()
    clock.write_text(FIVE_MINUTES)
    for _ in range(SOON):
        trio.goes_on()
    trio.client.leave()
    failed = there.newcomer(trio.organiser.posted, "client", "client").wait_for(Failed)
    assert ErrorKind.from_key(failed.problem) is ErrorKind.CLOCK_WRONG
    trio.comes_back()
    trio.goes_on()
