"""A volunteer that does not train: it averages for those who do, and has the run's state for newcomers."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import ErrorKind
from core.protocol.events import Evaluated, Failed, Progress, RoundFinished, RunFound, TrainingStarted
from tests.bench.local_sgd.recorded_peers import RecordedPeers, paced_run
from tests.bench.local_sgd.root_counts import disputes, root_counts_of
from tests.support.consents import consent_to
from tests.support.fault_injection import gave
from tests.support.real_peers import Peer

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(600)]

RUN = paced_run(target_batch_size=1280, matchmaking_time=2.0, averaging_timeout=15.0)  # a round of four seconds
ROUNDS = 3


@pytest.fixture
def recorded(tmp_path: Path) -> Iterator[RecordedPeers]:
    """Peers whose base weights' versions are written down."""
    with contextlib.closing(RecordedPeers(tmp_path)) as group:
        yield group


def average_together(*peers: Peer) -> None:
    """Wait until each has averaged some times with all of them."""
    since = [len(peer.said) for peer in peers]
    for _ in range(ROUNDS):
        for number, peer in enumerate(peers):
            peer.wait_for(RoundFinished, lambda event: gave(event) and event.peers == len(peers), since=since[number])
            since[number] = len(peer.said)


def test_two_whom_nobody_reaches_learn_by_a_keeper_that_joined_without_training_after_the_organiser_has_left(
    recorded: RecordedPeers,
) -> None:
    organiser = recorded.organiser(manifest=RUN)
    keeper = recorded.seeker(organiser.posted, "keeper")
    keeper.send(consent_to(keeper.wait_for(RunFound), train=False))
    keeper.wait_for(TrainingStarted)
    client = recorded.volunteer(f"{organiser.posted} {keeper.address}", "client", "client")
    average_together(organiser, keeper, client)
    assert organiser.leave() == 0

    newcomer = recorded.volunteer(keeper.address, "newcomer", "client")
    average_together(keeper, client, newcomer)
    before, *_, now = (event.loss for event in client.all(Evaluated))
    assert before is not None and now is not None and now < before
    assert keeper.all(Progress)[-1].contributed_samples < client.all(Progress)[-1].contributed_samples / 10
    counts = root_counts_of(recorded.started)
    assert counts.equal > 0 and counts.unrepaired == counts.astray == 0, f"{counts}{disputes(recorded.started)}"


def test_who_cannot_be_reached_is_told_that_it_can_keep_nothing_for_others(recorded: RecordedPeers) -> None:
    organiser = recorded.organiser(manifest=RUN)
    seeker = recorded.seeker(organiser.posted, "seeker", "client")
    seeker.send(consent_to(seeker.wait_for(RunFound), train=False))
    assert seeker.wait_for(Failed).problem == ErrorKind.HOST_NOT_REACHABLE.key
