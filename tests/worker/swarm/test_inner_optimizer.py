"""The learning rate of a peer of local SGD: a newcomer's ramp, and the schedule by the run's rounds."""

from __future__ import annotations

from functools import partial

import pytest
import torch
from torch.optim.lr_scheduler import LambdaLR

from core.worker.swarm.local_sgd.inner_optimizer import RAMP_STEPS, InnerOptimizer

RATE = 0.5


def halved_each_round(optimizer: torch.optim.Optimizer) -> LambdaLR:
    """A schedule that halves the learning rate with each round."""
    return LambdaLR(optimizer, lr_lambda=lambda epoch: 0.5**epoch)


class Walker:
    """One number with a gradient of 1, so that a step of plain SGD moves it by the learning rate."""

    def __init__(self, momentum: float = 0.0) -> None:
        self.number = torch.nn.Parameter(torch.zeros(1, dtype=torch.float64))
        self.inner = InnerOptimizer(
            [self.number], partial(torch.optim.SGD, lr=RATE, momentum=momentum), halved_each_round
        )

    def moved(self) -> float:
        """The learning rate with which one step was made."""
        before = float(self.number.detach())
        self.number.grad = torch.ones_like(self.number)
        self.inner.step()
        return before - float(self.number.detach())


def test_a_newcomers_learning_rate_rises_to_the_runs_and_stays_there() -> None:
    walker = Walker()
    rates = [walker.moved() for _ in range(RAMP_STEPS + 3)]
    risen = [RATE * step / RAMP_STEPS for step in range(1, RAMP_STEPS + 1)]
    assert rates == pytest.approx([*risen, RATE, RATE, RATE])


def test_whoever_takes_the_weights_of_others_begins_the_ramp_anew() -> None:
    walker = Walker()
    walker.inner.steps = RAMP_STEPS
    assert walker.moved() == pytest.approx(RATE)
    walker.inner.steps = 0
    assert walker.moved() == pytest.approx(RATE / RAMP_STEPS)


def test_who_begins_anew_knows_nothing_of_earlier_gradients_and_has_the_rate_of_its_round() -> None:
    walker = Walker(momentum=0.9)
    walker.inner.follow(2)
    for _ in range(RAMP_STEPS):
        walker.moved()
    walker.inner.begin_anew()
    walker.inner.follow(2)
    assert walker.moved() == pytest.approx(RATE * 0.5**2 / RAMP_STEPS)


def test_the_schedule_follows_the_runs_rounds_and_not_the_own_steps() -> None:
    walker = Walker()
    walker.inner.steps = RAMP_STEPS
    for epoch in (0, 1, 2, 6, 6):  # rounds that were missed are made up for, and one that is told again changes nothing
        walker.inner.follow(epoch)
        assert [walker.moved() for _ in range(3)] == pytest.approx([RATE * 0.5**epoch] * 3), epoch


def test_the_ramp_is_a_part_of_the_rate_that_its_round_has() -> None:
    walker = Walker()
    walker.inner.follow(3)
    assert walker.moved() == pytest.approx(RATE * 0.5**3 / RAMP_STEPS)
