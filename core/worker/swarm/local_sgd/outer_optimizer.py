"""The outer step of DiLoCo: Nesterov momentum on what the swarm has changed, with the same bits on every computer.

Douillard and others, DiLoCo, arXiv:2311.08105, algorithm 1: the *pseudo-gradient* is the base weights minus the weights
after the inner steps. PyTorch's own SGD multiplies and adds in one rounding where the processor can (a fused
multiply-add), and in two where it cannot; here each operation is rounded by itself.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any, TypeAlias

import torch
from torch import Tensor
from torch.optim import Optimizer

from core.worker.compute.optimizers import parameters_of

MOMENTUM = "momentum_buffer"

Version: TypeAlias = tuple[int, bytes]
"""Of base weights: how many outer steps they have behind them, and their hash."""


class OuterNesterov(Optimizer):
    """Steps the base weights, float32 on the CPU, by their averaged pseudo-gradients; ``lr`` is the outer rate.

    One step is left out after `skip_next`, for a round that has failed: what nobody has averaged must move nobody.
    ``outer_steps``, of shape (1,), counts the others; a newcomer downloads it with the weights.
    """

    def __init__(self, params: Any, lr: float, momentum: float, outer_steps: Tensor) -> None:
        super().__init__(params, {"lr": lr, "momentum": momentum})
        self._outer_steps = outer_steps
        self._skips_next = False
        self.has_moved = False

    def skip_next(self) -> None:
        """Leave the next step out."""
        self._skips_next = True

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> None:  # type: ignore[override]
        """v = momentum * v + g, then weights = weights - lr * (g + momentum * v), for each parameter's ``grad`` g."""
        self.has_moved = not self._skips_next
        self._skips_next = False
        if not self.has_moved:
            return
        self._outer_steps.add_(1)
        for group in self.param_groups:
            for weights in group["params"]:
                state = self.state[weights]
                velocity = state.setdefault(MOMENTUM, torch.zeros_like(weights))
                velocity.mul_(group["momentum"]).add_(weights.grad)
                weights.sub_(velocity.mul(group["momentum"]).add_(weights.grad).mul_(group["lr"]))

    def version(self) -> Version:
        """The number of steps so far, and a hash of the base weights and of the momentum.

        Two peers of one version have equal weights, and will have them again after the next round.
        """
        whole = hashlib.blake2b(digest_size=16)
        for weights in parameters_of(self):
            for tensor in (weights.detach(), self.state[weights][MOMENTUM]):
                whole.update(memoryview(tensor.contiguous().numpy()).cast("B"))
        return int(self._outer_steps), whole.digest()
