"""A feed-forward layer that is a mixture over experts, wherever these are."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from core.run.spec.experts import ExpertsSpec
from core.worker.experts.calls import Experts
from core.worker.experts.router import Router, Routing


@dataclass(frozen=True)
class RoutedTokens:
    """What became of the tokens of one call, each counted once for every expert that it was routed to."""

    routed: int = 0
    sent: int = 0
    answered: int = 0


class MixtureLayer(nn.Module):
    """The router is trained here, the experts by their hosts.

    Without an answer a token goes on unchanged, as it does beyond an expert's capacity (arXiv:2101.03961, section 2.2):
    the layer stands on a residual branch. ``load_balancing_loss`` is that of the last call, ``unanswered_calls`` counts
    those in which nobody answered for any token. The ``experts`` are set by whoever builds the model.

    ``evaluated_among`` are the numbers of the experts among which the tokens of each call were routed since it was last
    emptied, but in training; ``None`` stands for a call in which some that was asked did not answer.
    """

    experts: Experts

    def __init__(self, hidden_size: int, spec: ExpertsSpec) -> None:
        super().__init__()
        self.router = Router(hidden_size, spec)
        self.load_balancing_loss = torch.zeros(())
        self.last = RoutedTokens()
        self.unanswered_calls = 0
        self.evaluated_among = set[tuple[int, ...] | None]()
        self._seed = 0

    def forward(self, stream: Tensor) -> Tensor:
        """The change to the stream, (..., hidden) in and out."""
        tokens = stream.reshape(-1, stream.shape[-1])
        available = self.experts.available()
        if not available:
            self.load_balancing_loss, self.last = tokens.new_zeros(()), RoutedTokens(routed=len(tokens))
            self.unanswered_calls += 1
            self._note_routing(None)
            return torch.zeros_like(stream)
        routing: Routing = self.router(tokens, available)
        self.load_balancing_loss = routing.load_balancing_loss()
        changed = self._ask(tokens, routing).view(stream.shape)
        self._note_routing(tuple(sorted(available)) if self.last.answered == self.last.sent else None)
        return changed

    def _note_routing(self, among: tuple[int, ...] | None) -> None:
        if not self.training:
            self.evaluated_among.add(among)

    def _ask(self, tokens: Tensor, routing: Routing) -> Tensor:
        """The sum of the answers, each by its weight."""
        rows, choices = routing.sent.nonzero(as_tuple=True)
        numbers = routing.chosen[rows, choices]
        order = numbers.argsort(stable=True)
        rows, choices = rows[order], choices[order]
        found, counts = torch.unique_consecutive(numbers[order], return_counts=True)
        self._seed = (self._seed + 1) % 2**31
        asked = dict(zip(found.tolist(), counts.tolist(), strict=True))
        outputs, has_answer = self.experts(tokens[rows], asked, self._seed if self.training else None)
        answered = torch.zeros_like(routing.sent)
        answered[rows, choices] = has_answer
        self.last = RoutedTokens(routing.sent.numel(), len(rows), int(has_answer.sum()))
        self.unanswered_calls += not self.last.answered
        weights = routing.weights(answered)[rows, choices]
        return torch.zeros_like(tokens).index_add(0, rows, (outputs * weights[:, None]).to(tokens))
