"""What a recipe is: a model, where its samples come from, what is minimised and how well it does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor


@dataclass(frozen=True)
class Batch:
    """Samples on the training device; the first dimension of both tensors counts them."""

    inputs: Tensor
    targets: Tensor


@dataclass(frozen=True)
class Example:
    """One held-out problem with the model's answer, as people write it."""

    text: str
    correct: bool


@dataclass(frozen=True)
class Evaluation:
    """How the model does on what no peer ever trains on; ``accuracy`` is the share of right answers."""

    loss: float
    accuracy: float
    examples: tuple[Example, ...]


class Recipe(Protocol):
    """All that the training loop asks of the thing it trains.

    ``model`` starts with equal weights on every peer; of its parameters those that require a gradient are
    trained, averaged and kept. ``draw`` gives every peer samples of its own. ``loss`` is the mean over the
    batch, so that hivemind's average of the peers' gradients is the gradient of all their samples.
    ``backward`` leaves the gradient in the model; where it answers false the gradient is to be forgotten, and
    nothing is wrong. ``evaluate`` is quick, because training stands still meanwhile. ``close`` lets go of
    what the samples came from.
    """

    @property
    def model(self) -> torch.nn.Module: ...

    def draw(self, batch_size: int) -> Batch: ...

    def loss(self, batch: Batch) -> Tensor: ...

    def backward(self, loss: Tensor) -> bool: ...

    def evaluate(self) -> Evaluation: ...

    def close(self) -> None: ...
