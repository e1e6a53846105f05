"""A run whose base weights move by outer steps, without any swarm: it stands for the LocalSgdOptimizer of a peer."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import cast

import torch
from torch import Tensor

from core.worker.swarm import LocalSgdOptimizer, Version
from core.worker.swarm.local_sgd.outer_optimizer import MOMENTUM, OuterNesterov, version_of

SHAPES = (20, 30), (7,), ()


class MirroredRun:
    """The real outer optimizer, whose steps are random."""

    def __init__(self) -> None:
        self._random = torch.Generator().manual_seed(1)
        self.weights = [torch.nn.Parameter(torch.randn(shape, generator=self._random)) for shape in SHAPES]
        self.steps = torch.zeros(1)
        self.outer = OuterNesterov(self.weights, lr=0.7, momentum=0.9, outer_steps=self.steps)

    def take_rounds(self, rounds: int) -> None:
        """Take so many outer steps."""
        for _ in range(rounds):
            for weights in self.weights:
                weights.grad = torch.randn(weights.shape, generator=self._random)
            self.outer.step()

    def state(self) -> list[Tensor]:
        """A copy of weights, number of outer steps, and momentum."""
        velocities = [self.outer.state[weights][MOMENTUM] for weights in self.weights]
        return [each.detach().clone() for each in (*self.weights, self.steps, *velocities)]

    def copied_state(self) -> tuple[Version, list[Tensor]]:
        """As LocalSgdOptimizer does."""
        copy = self.state()
        count = len(SHAPES)
        return version_of(copy[:count], copy[count], copy[count + 1 :]), copy

    @property
    def as_optimizer(self) -> LocalSgdOptimizer:
        """For those who need no more of one than this."""
        return cast(LocalSgdOptimizer, self)


def start_thread(name: str, run: Callable[[], None]) -> threading.Thread:
    """As Supervisor.start does."""
    thread = threading.Thread(target=run, name=name, daemon=True)
    thread.start()
    return thread
