"""How a reducer of local SGD makes one average of what its senders have sent, and what size of it is usual."""

from __future__ import annotations

import math
import statistics
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from core.run.spec.collaboration import Aggregation
from core.worker.swarm.aggregation.aggregators import Sent
from core.worker.swarm.aggregation.rules import counted_aggregate
from core.worker.swarm.averaging.allreduce import MAX_RATIO
from core.worker.swarm.local_sgd.codecs.codec import Codec

REMEMBERED_ROUNDS = 5


@dataclass(frozen=True)
class ReductionRule:
    """How a reducer makes one part of what its senders have sent."""

    codec: Codec
    aggregation: Aggregation
    weight_cap: float

    def encoded_average(self, parts: Sequence[Tensor], weights: Sequence[float]) -> Tensor:
        """The average of decoded parts, of each sender one, as everybody gets it."""
        return self.counted_average(parts, weights)[0]

    def counted_average(self, parts: Sequence[Tensor], weights: Sequence[float]) -> tuple[Tensor, list[float]]:
        """The same, and how far each of the parts counts in it, from 0 to 1; see `counted_aggregate`."""
        average, counted = counted_aggregate(parts, weights, self.aggregation, self.weight_cap)
        return self.codec.encode(average), counted


class UsualSize:
    """How large weight changes are, as root mean square, by the medians of the last rounds.

    Of two senders nobody can say which one lies, unless both are compared with what was sent before. Of two medians the
    larger counts: a slow computer, or a liar who sends next to nothing, must not have the others left out.
    """

    def __init__(self) -> None:
        self._medians = deque[float](maxlen=REMEMBERED_ROUNDS)

    def add(self, sizes: Sequence[float]) -> None:
        """Learn what the senders of one round have sent."""
        if sizes:
            self._medians.append(statistics.median_high(sizes))

    def limit(self) -> float:
        """The size that no honest sender exceeds."""
        return MAX_RATIO * statistics.median_high(self._medians) if self._medians else math.inf


class Received:
    """What has been received of one part, in place of hivemind's running sum.

    How far that of each sender counts is written to ``counted``, a vector with a number for each.
    """

    def __init__(self, rule: ReductionRule, numbers: int, counted: Tensor) -> None:
        self._rule, self._numbers, self._counted = rule, numbers, counted
        self._sent = list[Sent]()

    def add_(self, sent: Sent, alpha: float) -> None:
        """Keep a sender's part; its weight is in it."""
        self._sent.append(sent)

    def div_(self, _total_weight: float) -> Tensor:
        """The aggregate, encoded: hivemind divides its sum once all senders were heard."""
        if not self._sent:
            return self._rule.codec.encode(torch.zeros(self._numbers))
        parts, weights = [each.part for each in self._sent], [each.weight for each in self._sent]
        average, counted = self._rule.counted_average(parts, weights)
        for each, share in zip(self._sent, counted, strict=True):
            self._counted[each.sender] = share
        return average
