"""Stale gradients: an organiser is told where averaging takes most of an epoch, and else is not."""

from __future__ import annotations

import pytest

from core.errors import ErrorKind
from core.localizable import LocalizedText
from core.protocol.events import Evaluated, RoundFinished, Warned
from core.worker.training.staleness import EPOCHS, Staleness
from tests.support.peers.slow_computer import SAMPLES_PER_SECOND
from tests.support.real_peers import PeerGroup, averaged, tiny


def judged(lag: float, epoch: float, epochs: int = EPOCHS) -> Staleness:
    """After so many epochs of those seconds and 3000 samples, each with its step so late."""
    staleness = Staleness()
    add(staleness, lag, epoch, 3000, epochs)
    return staleness


def add(staleness: Staleness, lag: float, epoch: float, target: int, epochs: int = EPOCHS) -> None:
    for _ in range(epochs):
        staleness.add_epoch(0.0, lag, epoch, target)


def test_the_advice_names_an_epoch_of_which_averaging_is_a_fifth_and_comes_once() -> None:
    staleness = judged(lag=2.5, epoch=3.0)
    advice = staleness.advice()
    assert isinstance(advice, LocalizedText)
    assert advice.blanks == ("2.5", "3.0", "12000")
    add(staleness, 2.5, 3.0, 3000)
    assert not staleness.advice(), "told once"
    add(staleness, 2.5, 12.0, 12000)
    assert not staleness.advice(), "it was followed"
    add(staleness, 2.5, 3.0, 12001)
    assert staleness.advice(), "of another length, with more computers"


@pytest.mark.parametrize(
    "fine", [judged(lag=1.4, epoch=3.0), judged(lag=-60.0, epoch=3.0), judged(lag=2.5, epoch=3.0, epochs=EPOCHS - 1)]
)
def test_neither_a_short_wait_nor_one_that_nobody_computes_in_nor_too_few_epochs_are_told(fine: Staleness) -> None:
    assert not fine.advice()


@pytest.mark.real
@pytest.mark.parametrize("is_delayed", [True, False], ids=["computing goes on", "everybody waits"])
def test_the_organiser_of_epochs_as_short_as_their_averaging_is_told(group: PeerGroup, *, is_delayed: bool) -> None:
    """Two computers compute an epoch's samples in a second, and matchmaking alone takes three."""
    manifest = tiny(
        target_batch_size=round(2 * SAMPLES_PER_SECOND),
        delay_grad_averaging=is_delayed,
        delay_optimizer_step=is_delayed,
    )
    organiser = group.organiser(manifest=manifest)
    volunteer = group.volunteer(organiser.posted, "volunteer")
    met = volunteer.wait_for(RoundFinished, averaged).epoch
    organiser.wait_for(Evaluated, lambda event: event.epoch > met + EPOCHS + 3)
    told = [event.problem for peer in (organiser, volunteer) for event in peer.all(Warned)]
    assert told.count(ErrorKind.GRADIENTS_STALE.key) == is_delayed, "once, and to the organiser alone"
