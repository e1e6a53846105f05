"""A round of local SGD without a network: what peers have changed is encoded, aggregated, encoded again, and stepped.

Codecs, error feedback, aggregation and outer step are the worker's own; an exchange would move the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from core.run.spec.collaboration import Collaboration
from core.worker.swarm.aggregation.rules import aggregate
from core.worker.swarm.local_sgd.codecs.encoded_tensors import EncodedTensors
from core.worker.swarm.local_sgd.codecs.error_feedback import ErrorFeedback
from core.worker.swarm.local_sgd.codecs.wire import codec
from core.worker.swarm.local_sgd.outer_optimizer import OuterNesterov


class OuterRounds:
    """The base weights that so many peers have in common; ``start`` is copied."""

    def __init__(self, start: Sequence[Tensor], collaboration: Collaboration, peers: int) -> None:
        self._rules, self._codec = collaboration, codec(collaboration.delta_codec)
        self.base = [each.detach().clone() for each in start]
        self._outer = OuterNesterov(
            self.base, collaboration.outer_lr, collaboration.outer_momentum, outer_steps=torch.zeros(1)
        )
        has_feedback = collaboration.delta_codec == "topk"
        self._feedbacks = [ErrorFeedback() for _ in range(peers)] if has_feedback else []

    @torch.no_grad()
    def end(self, peers: Sequence[Sequence[Tensor]], samples: float) -> None:
        """End a round in which each peer's model came to those weights, with so many samples; all go on from base."""
        sent = [self._sent(number, weights) for number, weights in enumerate(peers)]
        averages = EncodedTensors([each.shape for each in self.base], self._codec)
        for number in range(len(averages.lengths())):
            averages.put(number, self._average([each.decoded_part(number) for each in sent], samples))
        self._outer.averages = averages
        self._outer.step()
        for feedback in self._feedbacks:
            feedback.commit()
        for weights in peers:
            for own, base in zip(weights, self.base, strict=True):
                own.copy_(base)

    def _sent(self, peer: int, weights: Sequence[Tensor]) -> EncodedTensors:
        """What that peer has changed, as it reaches a reducer."""
        deltas = [base - own for base, own in zip(self.base, weights, strict=True)]
        if self._feedbacks:
            self._feedbacks[peer].begin()
            for delta in deltas:
                self._feedbacks[peer].select(delta)
        return EncodedTensors.of(deltas, self._codec)

    def _average(self, parts: Sequence[Tensor], samples: float) -> Tensor:
        weights = [samples] * len(parts)
        return self._codec.encode(aggregate(parts, weights, self._rules.aggregation, self._rules.weight_cap))
