"""A learning rate that is changed from an epoch on has that value when the epoch's step is taken."""

from __future__ import annotations

import pytest
import torch

from core.run.manifest import SchedulerSpec
from core.worker.compute.learning_rate import SteeredSchedule

FULL, CHANGED = 0.1, 0.02


def rate_at(epoch: int) -> float:
    """Changed from epoch 3 on."""
    return CHANGED if epoch >= 3 else FULL


def rates(schedule: SteeredSchedule, told_at: int, epochs: int = 6) -> list[float]:
    """The rate of the step that ends each epoch, where the change is told in that one."""
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=FULL)
    built, seen = schedule.build(optimizer), list[float]()
    for epoch in range(epochs):
        if epoch == told_at:
            schedule.plan(rate_at)
        optimizer.step()
        seen.append(optimizer.param_groups[0]["lr"])
        assert schedule.rate(epoch) == pytest.approx(seen[-1])
        built.step()
    return seen


@pytest.mark.parametrize("told_at", [0, 2, 3, 4])
def test_all_who_hear_of_it_before_use_it_from_the_same_epoch_on_and_who_is_late_at_once(told_at: int) -> None:
    expected = [rate_at(epoch) if epoch >= told_at else FULL for epoch in range(6)]
    assert rates(SteeredSchedule(SchedulerSpec(), FULL), told_at) == pytest.approx(expected)


def test_the_schedule_goes_on_from_the_changed_rate() -> None:
    spec = SchedulerSpec(kind="linear", total_epochs=10)
    expected = [rate_at(epoch) * (1 - epoch / 10) for epoch in range(6)]
    assert rates(SteeredSchedule(spec, FULL), told_at=1) == pytest.approx(expected)


def test_a_schedule_that_no_optimizer_follows_has_no_rate() -> None:
    schedule = SteeredSchedule(SchedulerSpec(), FULL)
    assert schedule.rate(0) is None
    schedule.build(torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=2 * FULL))
    assert schedule.rate(0) == 2 * FULL
