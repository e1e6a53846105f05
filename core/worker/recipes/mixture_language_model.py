"""The recipe of causal language models with experts on other computers: trunk and routers are trained here."""

from __future__ import annotations

import dataclasses

import torch
from torch import Tensor

from core.run.spec.recipe import MoeLM
from core.worker.data import Blocks
from core.worker.experts.calls import EchoCalls, ExpertCalls, RemoteExperts
from core.worker.experts.mixture import RoutedTokens
from core.worker.recipes.language_model import LanguageModel
from core.worker.recipes.mixture_model import remote_model
from core.worker.recipes.objective import NextToken
from core.worker.recipes.precision import MixedPrecision
from core.worker.recipes.recipe import Batch, Evaluation


class MixtureLanguageModel(LanguageModel):
    """Until it is connected with hosts, its experts answer with their own input, and nobody is sent anything."""

    def __init__(self, spec: MoeLM, blocks: Blocks, device: torch.device) -> None:
        self.spec = spec
        self._mixture = remote_model(spec, EchoCalls(spec.experts.experts))
        model = self._mixture.model.to(device)
        numbers = MixedPrecision(torch.float32, device, model.parameters())
        super().__init__(model, blocks, NextToken(), numbers, device)

    def connect(self, calls: ExpertCalls) -> None:
        """Reach the experts by these calls from now on."""
        self._mixture.connect(lambda layer: RemoteExperts(layer, calls))

    def loss(self, batch: Batch) -> Tensor:
        """The mean cross-entropy in nats, and the load balancing loss by its weight."""
        return super().loss(batch) + self._mixture.load_balancing_loss()

    def evaluate(self) -> Evaluation:
        """As every language model; it is not of all layers where nobody answered for the experts of one meanwhile."""
        before = self._unanswered_calls()
        for each in self._mixture.mixtures.values():
            each.evaluated_among.clear()
        evaluation, is_whole = super().evaluate(), self._unanswered_calls() == before
        return dataclasses.replace(evaluation, of_all_layers=is_whole, routed_among=self._evaluated_among())

    def _unanswered_calls(self) -> int:
        return sum(each.unanswered_calls for each in self._mixture.mixtures.values())

    def _evaluated_among(self) -> tuple[tuple[int, ...], ...] | None:
        """The experts of each layer that all calls of the last evaluation were routed among, if these were the same."""
        found = list[tuple[int, ...]]()
        for each in self._mixture.mixtures.values():
            among = each.evaluated_among.copy()
            only = among.pop() if len(among) == 1 else None
            if only is None:
                return None
            found.append(only)
        return tuple(found)

    def routed(self) -> RoutedTokens:
        """What became of the tokens of the last batch, in all layers together."""
        last = [each.last for each in self._mixture.mixtures.values()]
        return RoutedTokens(*(sum(counts) for counts in zip(*map(_counts, last), strict=True)))


def _counts(tokens: RoutedTokens) -> tuple[int, int, int]:
    return tokens.routed, tokens.sent, tokens.answered
