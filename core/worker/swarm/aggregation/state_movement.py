"""How far our own tensors have moved between two exchanges, by a sample of their numbers."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

STRIDE = 64  # every so many numbers one is kept: 1.6 % of the memory of all


class StateMovement:
    """A sample of the tensors of the last exchange, with which those of the next one are compared."""

    def __init__(self) -> None:
        self._before = list[Tensor]()

    def remember(self, tensors: Sequence[Tensor]) -> None:
        """They are so now: what comes later is movement."""
        self._before = [_sample(tensor).clone() for tensor in tensors]

    def of(self, tensors: Sequence[Tensor]) -> list[float]:
        """For each tensor, how far it has moved since, relative to its norm; 0 where that is not known."""
        if len(self._before) != len(tensors):
            return [0.0 for _ in tensors]
        return [_relative(_sample(now), before) for now, before in zip(tensors, self._before, strict=True)]


def _sample(tensor: Tensor) -> Tensor:
    return tensor.detach().view(-1)[::STRIDE]


def _relative(now: Tensor, before: Tensor) -> float:
    norm = float(now.norm())
    return float((now - before).norm()) / norm if norm else 0.0
