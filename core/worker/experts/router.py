"""The router, or gate: which experts each token is sent to, and with what weight their answers count.

Fedus and others, Switch Transformers, arXiv:2101.03961, section 2; top-k as Lepikhin and others, GShard,
arXiv:2006.16668.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from core.run.spec.experts import ExpertsSpec


@dataclass(frozen=True)
class Routing:
    """Where some tokens go. ``probabilities`` are (tokens, experts), 0 for experts that nobody hosts at present.

    ``chosen`` are the numbers of the experts of each token, the likeliest first, (tokens, k); those beyond an expert's
    capacity are not ``sent``, (tokens, k).
    """

    probabilities: Tensor
    chosen: Tensor
    sent: Tensor

    def weights(self, answered: Tensor) -> Tensor:
        """How much each chosen expert's answer counts, (tokens, k); 0 where nothing was ``answered``, (tokens, k).

        With several experts the weights of those that answered add up to 1; with one it is the router's own
        probability, through which the router learns.
        """
        weights = self.probabilities.gather(1, self.chosen) * answered
        if self.chosen.shape[1] == 1:
            return weights
        return weights / weights.sum(1, keepdim=True).clamp(min=torch.finfo(weights.dtype).tiny)

    def load_balancing_loss(self) -> Tensor:
        """The number of experts x the sum over them of (share of tokens x mean probability); 1 where all are even."""
        available = (self.probabilities.detach() > 0).any(0).sum()
        experts = self.probabilities.shape[1]
        share = torch.bincount(self.chosen.flatten(), minlength=experts) / self.chosen.numel()
        return available * (share * self.probabilities.mean(0)).sum()


class Router(nn.Module):
    """A linear gate over the experts of one layer."""

    def __init__(self, hidden_size: int, spec: ExpertsSpec) -> None:
        super().__init__()
        self.top_k, self.capacity_factor = spec.top_k, spec.capacity_factor
        self.gate = nn.Linear(hidden_size, spec.experts, bias=False)

    def forward(self, tokens: Tensor, available: Collection[int]) -> Routing:
        """Route tokens, (tokens, hidden), to the ``available`` experts, by number; there must be at least one.

        The softmax is computed in float32 (arXiv:2101.03961, section 2.4).
        """
        logits = self.gate(tokens).float()
        is_away = torch.ones(logits.shape[1], dtype=torch.bool, device=logits.device)
        is_away[list(available)] = False
        probabilities = logits.masked_fill(is_away, -math.inf).softmax(1)
        chosen = probabilities.topk(min(self.top_k, len(available)), dim=1).indices
        return Routing(probabilities, chosen, self._within_capacity(chosen, len(available)))

    def capacity(self, tokens: int, experts: int) -> int:
        """How many of a batch's tokens one of so many experts is sent at the most."""
        return math.ceil(self.capacity_factor * tokens * min(self.top_k, experts) / experts)

    def _within_capacity(self, chosen: Tensor, available: int) -> Tensor:
        """Which places in ``chosen`` are sent: each expert takes first choices before second ones, in their order."""
        ranked = chosen.T.flatten()
        one_hot = nn.functional.one_hot(ranked, self.gate.out_features)
        place = (one_hot.cumsum(0) * one_hot).sum(1)  # from 1, among those of the same expert
        sent: Tensor = place <= self.capacity(chosen.shape[0], available)
        return sent.view(chosen.shape[1], chosen.shape[0]).T
