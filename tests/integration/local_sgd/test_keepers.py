"""A volunteer that does not train: it averages for those who do, and has the run's state for newcomers."""

from __future__ import annotations

import pytest

from core.errors import ErrorKind
from core.protocol.events import Evaluated, Failed, Progress, RunFound, RunScored, TrainingStarted
from tests.bench.local_sgd.recorded_peers import RecordedPeers, paced_run
from tests.integration.local_sgd.together import assert_equal_base_weights, average_together
from tests.support.consents import consent_to
from tests.support.real_peers import Peer

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(900)]

RUN = paced_run(target_batch_size=1280, matchmaking_time=2.0, averaging_timeout=15.0)  # a round of four seconds
OVERLAPPED = paced_run(target_batch_size=1280, matchmaking_time=2.0, averaging_timeout=15.0, overlap="delayed")
COMPARED, SAME = 5, 1e-4
MOST_COMPARED = 20  # epochs: a keeper that has missed a round on a busy computer has the weights of another epoch


def losses(peer: Peer) -> dict[int, float]:
    """What it has measured of its own weights, by epoch."""
    return {event.epoch: event.loss for event in peer.all(Evaluated) if event.loss is not None}


def test_two_whom_nobody_reaches_learn_by_a_keeper_that_joined_without_training_after_the_organiser_has_left(
    recorded: RecordedPeers,
) -> None:
    organiser = recorded.organiser(manifest=RUN)
    keeper = recorded.seeker(organiser.posted, "keeper")
    keeper.send(consent_to(keeper.wait_for(RunFound), train=False))
    keeper.wait_for(TrainingStarted)
    client = recorded.volunteer(f"{organiser.posted} {keeper.address}", "client", "client")
    average_together(organiser, keeper, client, among=3)
    assert organiser.leave() == 0

    newcomer = recorded.volunteer(keeper.address, "newcomer", "client")
    average_together(keeper, client, newcomer, among=3)
    before, *_, now = (event.loss for event in client.all(Evaluated))
    assert before is not None and now is not None and now < before
    assert keeper.all(Progress)[-1].contributed_samples < client.all(Progress)[-1].contributed_samples / 10
    assert keeper.all(Progress)[-1].samples_per_second == 0.0, "its one sample a round is nobody's speed"
    assert_equal_base_weights(recorded)


def test_an_organiser_that_trains_signs_the_loss_of_what_all_have_in_common(recorded: RecordedPeers) -> None:
    """Its own weights have learned on meanwhile; a newcomer compares the common ones with what is signed."""
    organiser = recorded.organiser(manifest=OVERLAPPED)
    keeper = recorded.seeker(organiser.posted, "keeper")
    keeper.send(consent_to(keeper.wait_for(RunFound), train=False))
    client = recorded.volunteer(organiser.posted, "client", "client")
    average_together(organiser, keeper, client, among=3)
    signed, both, common = dict[int, float](), set[int](), list[int]()
    while len(both) < COMPARED or (len(common) <= len(both) / 2 and len(both) < MOST_COMPARED):
        scored = keeper.wait_for(RunScored, since=len(keeper.said))
        signed |= {each.epoch: each.loss for each in scored.scores}
        both = signed.keys() & losses(keeper).keys() & losses(organiser).keys()
        common = [epoch for epoch in both if signed[epoch] == pytest.approx(losses(keeper)[epoch], rel=SAME)]
    own = [epoch for epoch in both if signed[epoch] == pytest.approx(losses(organiser)[epoch], rel=SAME)]
    assert len(common) > len(both) / 2 > len(own), (signed, losses(keeper), losses(organiser))


def test_who_cannot_be_reached_is_told_that_it_can_keep_nothing_for_others(recorded: RecordedPeers) -> None:
    organiser = recorded.organiser(manifest=RUN)
    seeker = recorded.seeker(organiser.posted, "seeker", "client")
    seeker.send(consent_to(seeker.wait_for(RunFound), train=False))
    assert seeker.wait_for(Failed).problem == ErrorKind.HOST_NOT_REACHABLE.key
