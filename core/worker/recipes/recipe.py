"""The interface of recipes: a model, its samples, its loss and its evaluation."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from core.protocol.examples import Picture

EVALUATED_AT_ONCE = 512  # tokens or patches: what an evaluation computes must fit into what a training step leaves free


@dataclass(frozen=True)
class Batch:
    """Samples on the training device; the first dimension of both tensors counts them."""

    inputs: Tensor
    targets: Tensor


@dataclass(frozen=True)
class Example:
    """One problem of the validation set with the model's answer, as people write it: in one ``text``, and in two.

    What is asked about a ``picture`` is its class, and ``question`` the right one.
    """

    text: str
    correct: bool
    question: str
    answer: str
    picture: Picture | None = None


def shown_examples(examples: int, most: int) -> Tensor:
    """Return the places of those that people are shown: always the same, so that answers can be compared.

    A peer that begins anew, as after a pause, shows the same ones.
    """
    return torch.randperm(examples, generator=torch.Generator().manual_seed(0))[:most]


@contextmanager
def evaluation_mode(model: torch.nn.Module) -> Iterator[None]:
    """Evaluate the model without gradients and dropout; afterwards it can be trained, whatever has been raised."""
    model.eval()
    try:
        with torch.inference_mode():
            yield
    finally:
        model.train()


@dataclass(frozen=True)
class Evaluation:
    """Loss in nats and accuracy, the share of right answers, on the validation set, which no peer trains on.

    One that was not ``of_all_layers`` says nothing of the run's model: nobody answered for the experts of some layer,
    and what passed it went on unchanged. ``routed_among`` are the experts that all samples had to choose from, in each
    layer that has any; ``None`` where these changed meanwhile, or one that was asked did not answer.
    """

    loss: float
    accuracy: float
    examples: tuple[Example, ...]
    of_all_layers: bool = True
    routed_among: tuple[tuple[int, ...], ...] | None = ()

    @property
    def measured_loss(self) -> float | None:
        """The loss of the run's model, to compare, to sign and to keep; ``None`` where a layer was left out."""
        return self.loss if self.of_all_layers else None

    def is_routed_as(self, other: Evaluation) -> bool:
        """Whether both are of the same experts, so that a small difference of their losses is one of the weights."""
        are_whole = self.of_all_layers and other.of_all_layers
        return are_whole and self.routed_among is not None and self.routed_among == other.routed_among


class Recipe(Protocol):
    """All that the training loop needs to know of what it trains.

    ``model`` starts with equal weights on every peer; of its parameters those that require a gradient are
    trained, averaged and kept. ``draw`` gives every peer samples of its own. ``loss`` is the mean over the
    batch, so that hivemind's average of the peers' gradients is the gradient of all their samples.
    ``backward`` leaves the gradient in the model; where it answers false the gradient is to be forgotten, and
    nothing is wrong. ``evaluate`` is quick, because the training loop blocks meanwhile. ``close`` ends what
    reads the samples.
    """

    @property
    def model(self) -> torch.nn.Module: ...

    def draw(self, batch_size: int) -> Batch: ...

    def loss(self, batch: Batch) -> Tensor: ...

    def backward(self, loss: Tensor) -> bool: ...

    def evaluate(self) -> Evaluation: ...

    def close(self) -> None: ...
