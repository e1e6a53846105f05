"""The closed set of expert blocks, of which there is one: a feed-forward network, made from numbers alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from core.run.spec.experts import MAX_EXPERTS, ExpertsSpec


class ExpertId(NamedTuple):
    """An expert by the number of its layer and its number within that layer, both from 0."""

    layer: int
    number: int


@dataclass(frozen=True)
class ExpertShape:
    """All that decides what an expert computes and holds; ``hidden_size`` is the width of a token."""

    hidden_size: int
    expansion: int

    @classmethod
    def of(cls, spec: ExpertsSpec, hidden_size: int) -> ExpertShape:
        """That of the experts of a run whose hidden state is so wide."""
        return cls(hidden_size, spec.expansion)


class FeedForward(nn.Module):
    """Two linear layers with a GELU between; (tokens, hidden) in and out."""

    def __init__(self, shape: ExpertShape) -> None:
        super().__init__()
        inner = shape.hidden_size * shape.expansion
        self.expand, self.contract = nn.Linear(shape.hidden_size, inner), nn.Linear(inner, shape.hidden_size)

    def forward(self, tokens: Tensor, dropout: float = 0.0, seed: int | None = None) -> Tensor:
        """The change to those tokens; the activations that are dropped follow from the ``seed``, if there is one.

        An expert's backward pass computes forward once more, and must drop the same ones.
        """
        activations = F.gelu(self.expand(tokens))
        if dropout and seed is not None:
            random = torch.Generator().manual_seed(seed)  # on the CPU: the same mask for every device
            kept = torch.rand(activations.shape, generator=random) >= dropout
            activations = activations * (kept.to(activations.device) / (1 - dropout))
        changed: Tensor = self.contract(activations)
        return changed


def build_expert(expert: ExpertId, shape: ExpertShape) -> FeedForward:
    """That expert before any training: its initial weights are the same on every computer."""
    block = FeedForward(shape)
    random = torch.Generator().manual_seed(1 + expert.layer * MAX_EXPERTS + expert.number)
    for linear in (block.expand, block.contract):
        nn.init.normal_(linear.weight, std=linear.in_features**-0.5, generator=random)
        nn.init.zeros_(linear.bias)
    return block
