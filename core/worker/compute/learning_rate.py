"""The manifest's learning rate schedule as the factory that hivemind.Optimizer takes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from torch.optim import Optimizer
from torch.optim.lr_scheduler import LambdaLR, LRScheduler

from core.run.manifest import SchedulerSpec


@dataclass(frozen=True)
class LearningRateFactor:
    """The share of the full learning rate at an epoch: up to 1 in the warm-up, then down as the kind says."""

    spec: SchedulerSpec

    def __call__(self, epoch: int) -> float:
        spec = self.spec
        if epoch < spec.warmup_epochs:
            return (epoch + 1) / (spec.warmup_epochs + 1)
        if spec.kind == "exponential":
            return float(spec.gamma ** (epoch - spec.warmup_epochs))
        if spec.kind == "constant" or spec.total_epochs is None:
            return 1.0
        done = min(1.0, (epoch - spec.warmup_epochs) / max(1, spec.total_epochs - spec.warmup_epochs))
        return 1 - done if spec.kind == "linear" else (1 + math.cos(math.pi * done)) / 2


class SteeredSchedule:
    """The schedule of a run whose organiser may change the learning rate from some epoch on.

    ``plan`` may be called from any thread; what it says of later epochs changes nothing of the present one.
    """

    def __init__(self, spec: SchedulerSpec, full_rate: float) -> None:
        self._factor, self._full_rate = LearningRateFactor(spec), full_rate
        self._rate_at: Callable[[int], float] = lambda _epoch: full_rate
        self._built: LambdaLR | None = None

    def __call__(self, epoch: int) -> float:
        """The share of the manifest's full learning rate at an epoch."""
        return self._factor(epoch) * self._rate_at(epoch) / self._full_rate

    def build(self, optimizer: Optimizer) -> LRScheduler:
        """The schedule of that optimizer."""
        self._built = LambdaLR(optimizer, lr_lambda=self)
        return self._built

    def rate(self, epoch: int) -> float | None:
        """The learning rate of the step that ends an epoch; ``None`` where no optimizer follows the schedule."""
        built = self._built
        return None if built is None else float(built.base_lrs[0]) * self(epoch)

    def plan(self, rate_at: Callable[[int], float]) -> None:
        """Take the full learning rate of each epoch from that function, of the present one at once."""
        self._rate_at, built = rate_at, self._built
        if built is None:
            return
        for group, base_rate in zip(built.optimizer.param_groups, built.base_lrs, strict=True):
            group["lr"] = base_rate * self(built.last_epoch)


def make_scheduler(spec: SchedulerSpec) -> Callable[[Optimizer], LRScheduler] | None:
    """What builds the manifest's schedule, one ``step()`` an epoch; ``None`` where the rate never changes."""
    if spec.kind == "constant" and not spec.warmup_epochs:
        return None
    return partial(LambdaLR, lr_lambda=LearningRateFactor(spec))


def catch_up_schedule(schedule: LRScheduler | None, epoch: int) -> None:
    """Have a schedule that is many epochs behind believe that it lacks only the last step to that epoch.

    The rate of `LearningRateFactor` depends on the epoch alone, so that none of the steps in between is needed: who is
    told of epoch 10**15 would take them for ever.
    """
    if schedule is not None and schedule.last_epoch < epoch - 1:
        schedule.last_epoch, schedule._step_count = epoch - 1, epoch
