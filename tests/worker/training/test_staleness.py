"""Stale gradients: a peer computes no more than half of its samples with weights that lack the last step."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from core.errors import ErrorKind
from core.localizable import LocalizedText
from core.protocol.events import Evaluated, Progress, RoundFinished, Warned
from core.run.round_estimate import MAX_STALE_SHARE
from core.worker.training.staleness import EPOCHS, Staleness
from tests.support.peers.slow_computer import SAMPLES_PER_SECOND
from tests.support.real_peers import PATIENCE_SECONDS, Peer, PeerGroup, averaged, tiny

TARGET = 3000
SHORT_TARGET = round(2 * SAMPLES_PER_SECOND)  # samples of a second of two computers


class Epochs:
    """Stands for the optimizer of one peer, and for its clock."""

    def __init__(self) -> None:
        self.now, self.local_epoch, self.use_gradient_averaging, self.delay_optimizer_step = 0.0, 0, True, True
        self.tracker = SimpleNamespace(target_batch_size=TARGET)
        self.state_averager = SimpleNamespace(pending_updates=set[str](), stepped_at=dict[int, float]())
        optimizer: Any = self
        self.staleness = Staleness(optimizer, lambda: self.now)

    def begin(self) -> None:
        """The next one, whose step is averaged from now on."""
        self.local_epoch += 1
        self.state_averager.pending_updates.add("a step")

    def step(self) -> None:
        """Have the last step now."""
        self.state_averager.stepped_at[self.local_epoch] = self.now

    def last(self, lag: float, seconds: float) -> None:
        """Let an epoch pass whose step comes so late."""
        began = self.now
        self.begin()
        self.now = began + lag
        self.step()
        self.now = began + seconds
        self.staleness.end_epoch(self.local_epoch, samples=TARGET // 2)


def test_half_of_what_the_last_epoch_had_may_lack_the_last_step_and_none_waits_for_a_step_that_is_there() -> None:
    epochs = Epochs()
    assert not epochs.staleness.must_wait(10**9), "nothing is averaged yet"
    epochs.begin()
    assert not epochs.staleness.must_wait(TARGET // 2)
    assert epochs.staleness.must_wait(TARGET // 2 + 1), "half of the swarm's, as long as ours are not known"
    assert epochs.staleness.is_waiting
    epochs.step()
    assert not epochs.staleness.must_wait(TARGET // 2 + 1)
    assert not epochs.staleness.is_waiting
    epochs.staleness.end_epoch(epochs.local_epoch, samples=1000)
    epochs.begin()
    assert not epochs.staleness.must_wait(500)
    assert epochs.staleness.must_wait(501)
    epochs.state_averager.pending_updates.clear()
    assert not epochs.staleness.must_wait(501), "the step came to nothing"


def test_an_epoch_of_a_single_micro_batch_waits_for_the_last_step_first() -> None:
    epochs = Epochs()
    epochs.staleness.end_epoch(0, samples=64)
    epochs.begin()
    assert epochs.staleness.must_wait(64)


@pytest.mark.parametrize("option", ["use_gradient_averaging", "delay_optimizer_step"])
def test_where_nothing_is_delayed_nobody_waits(option: str) -> None:
    epochs = Epochs()
    setattr(epochs, option, False)
    epochs.begin()
    assert not epochs.staleness.must_wait(10**9)


def test_the_advice_names_an_epoch_of_which_averaging_is_a_fifth_and_comes_once() -> None:
    epochs = Epochs()
    for _ in range(EPOCHS):
        epochs.last(lag=2.5, seconds=3.5)
    advice = epochs.staleness.advice()
    assert isinstance(advice, LocalizedText)
    assert advice.blanks == ("2.5", "3.5", "1.5", "19000"), "3000 samples take 2 s, and five times 2.5 s are 18,750"
    epochs.last(lag=2.5, seconds=3.5)
    assert not epochs.staleness.advice(), "told once"
    epochs.tracker.target_batch_size = 15_000
    for _ in range(EPOCHS):
        epochs.last(lag=2.5, seconds=12.5)
    assert not epochs.staleness.advice(), "it was followed"
    epochs.tracker.target_batch_size = 15_001
    for _ in range(EPOCHS):
        epochs.last(lag=2.5, seconds=3.5)
    assert epochs.staleness.advice(), "of another length, with more computers"


@pytest.mark.parametrize(("lag", "epochs"), [(1.4, EPOCHS), (0.0, EPOCHS), (2.5, EPOCHS - 1)])
def test_neither_a_short_averaging_nor_too_few_epochs_are_told(lag: float, epochs: int) -> None:
    some = Epochs()
    for _ in range(epochs):
        some.last(lag, seconds=3.0)
    assert not some.staleness.advice()


@pytest.mark.real
@pytest.mark.timeout(1200)
@pytest.mark.parametrize(
    "is_delayed",
    [pytest.param(True, id="computing goes on", marks=pytest.mark.faults), pytest.param(False, id="everybody waits")],
)
def test_in_epochs_as_short_as_their_averaging_half_lacks_the_last_step_and_the_organiser_is_told(
    group: PeerGroup, *, is_delayed: bool
) -> None:
    """Two computers compute an epoch's samples in a second, and matchmaking alone takes three."""
    manifest = tiny(
        target_batch_size=SHORT_TARGET,
        delay_grad_averaging=is_delayed,
        delay_optimizer_step=is_delayed,
    )
    organiser = group.organiser(manifest=manifest)
    volunteer = group.volunteer(organiser.posted, "volunteer")
    met = volunteer.wait_for(RoundFinished, averaged).epoch
    organiser.wait_for(Evaluated, lambda event: event.epoch > met + EPOCHS + 3, seconds=PATIENCE_SECONDS)
    with_it = [samples_of_an_epoch(peer, met) for peer in (organiser, volunteer)]
    told = [event.problem for peer in (organiser, volunteer) for event in peer.all(Warned)]
    assert told.count(ErrorKind.GRADIENTS_STALE.key) == is_delayed, "once, and to the organiser alone"
    waiting = [event for peer in (organiser, volunteer) for event in peer.all(Progress) if event.is_waiting]
    assert bool(waiting) == is_delayed
    assert all(event.my_samples <= MAX_STALE_SHARE * SHORT_TARGET for event in waiting)
    assert sum(with_it) > (MAX_STALE_SHARE + 0.25) * SHORT_TARGET, "who has waited computes the other half"


def samples_of_an_epoch(peer: Peer, since: int) -> float:
    """What that peer has computed in each epoch since then, in the mean of some, once there are so many."""
    first = peer.wait_for(Progress, lambda event: event.epoch > since)
    peer.wait_for(Progress, lambda event: event.epoch >= first.epoch + EPOCHS, seconds=PATIENCE_SECONDS)
    last = peer.all(Progress)[-1]
    return (last.contributed_samples - first.contributed_samples) / (last.epoch - first.epoch)
