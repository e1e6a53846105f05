"""The optimizer with which a peer of local SGD steps its own model between two rounds: the run's, and its schedule."""

from __future__ import annotations

import time

import torch

from core.worker.compute.learning_rate import catch_up_schedule
from core.worker.compute.optimizers import OptimizerFactory, SchedulerFactory, fuse_on_cpu

RAMP_STEPS = 20  # in which a newcomer's learning rate rises: its optimizer knows nothing yet


class InnerOptimizer:
    """An optimizer of the model's ``params``, whose schedule follows the run's rounds, not our own steps.

    ``steps`` counts those of the ramp and since; set to zero, it begins the ramp anew.
    """

    def __init__(
        self, params: list[torch.nn.Parameter], optimizer: OptimizerFactory, scheduler: SchedulerFactory | None
    ) -> None:
        self._params, self._make_optimizer, self._make_schedule, self._seconds = params, optimizer, scheduler, 0.0
        self.begin_anew()

    def begin_anew(self) -> None:
        """Know nothing of earlier gradients, and begin the ramp; `follow` the rounds again before the next step."""
        self._optimizer, self.steps = self._make_optimizer(self._params), 0
        fuse_on_cpu(self._optimizer)
        self._schedule = None if self._make_schedule is None else self._make_schedule(self._optimizer)

    def step(self) -> float:
        """Step with the gradients of the parameters, at a part of the learning rate in the first `RAMP_STEPS`.

        They are freed at once: what else is computed between two micro-batches then needs no memory beside them. It
        returns the seconds that all steps have taken so far.
        """
        began, groups = time.monotonic(), self._optimizer.param_groups
        rates = [group["lr"] for group in groups]
        self.steps += 1
        for group in groups:
            group["lr"] *= min(1.0, self.steps / RAMP_STEPS)
        self._optimizer.step()
        self.zero_grad(set_to_none=True)
        for group, rate in zip(groups, rates, strict=True):
            group["lr"] = rate
        self._seconds += time.monotonic() - began
        return self._seconds

    def follow(self, epoch: int) -> None:
        """Bring the learning rate to that of this round."""
        catch_up_schedule(self._schedule, epoch)
        if self._schedule is not None and self._schedule.last_epoch < epoch:
            self._schedule.step()

    def zero_grad(self, set_to_none: bool) -> None:
        """Forget the gradients of the last micro-batch."""
        self._optimizer.zero_grad(set_to_none)
