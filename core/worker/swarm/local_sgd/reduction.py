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
from core.worker.swarm.aggregation.leave_one_out import LeaveOneOut
from core.worker.swarm.aggregation.rules import MAX_RATIO, MIN_SENDERS, cap_heaviest, counted_aggregate
from core.worker.swarm.local_sgd.codecs.codec import Codec

REMEMBERED_ROUNDS = 5


def are_gross(sizes: Tensor) -> Tensor:
    """Which of these sizes are far larger than the median of those that are not zero; of two nobody can say it.

    A computer that is twenty times as fast as most takes as many more steps, and is as honest. Of two medians the
    larger counts, as in `UsualSize`.
    """
    sent = sizes[sizes > 0].tolist()
    return sizes > (MAX_RATIO * statistics.median_high(sent) if len(sent) >= MIN_SENDERS else math.inf)


def gross_senders(sizes: Tensor) -> set[int]:
    """Those of whom any part is gross; ``sizes`` has a row for each part, and in it a number for each sender."""
    return {sender for of_part in sizes for sender in torch.nonzero(are_gross(of_part)).flatten().tolist()}


@dataclass(frozen=True)
class ReductionRule:
    """How a reducer makes one part of what its senders have sent.

    Who has sent a gross part is not in the average: clipped to the usual norm, two of nine who claim a billion samples
    each would have more than half of the weight, and the average the opposite sign. Its other senders would take the
    reducer for the liar.
    """

    codec: Codec
    aggregation: Aggregation
    weight_cap: float

    def encoded_average(self, parts: Sequence[Tensor], weights: Sequence[float]) -> Tensor:
        """The average of decoded parts, of each sender one, as everybody gets it."""
        return self.counted_average(parts, weights)[0]

    def counted_average(self, parts: Sequence[Tensor], weights: Sequence[float]) -> tuple[Tensor, list[float]]:
        """The same, and how far each of the parts counts in it, from 0 to 1; see `counted_aggregate`."""
        norms = torch.stack([part.norm() for part in parts]) * (torch.tensor(weights) > 0)
        taken = torch.tensor(weights, dtype=torch.float64).masked_fill(are_gross(norms), 0.0).tolist()
        capped = cap_heaviest(taken) if sum(each > 0 for each in taken) >= MIN_SENDERS else self._of_two(taken)
        average, counted = counted_aggregate(parts, capped, self.aggregation, self.weight_cap)
        whole = sum(taken) / (sum(capped) or 1.0)
        left = [
            min(1.0, whole * cap / weight) if weight > 0 else 0.0 for cap, weight in zip(capped, taken, strict=True)
        ]
        return self.codec.encode(average), [each * share for each, share in zip(counted, left, strict=True)]

    def _of_two(self, weights: Sequence[float]) -> list[float]:
        """The same weights, of which the larger counts for so many times the smaller at the most.

        Of two senders nobody can say which one lies.
        """
        lightest = min((each for each in weights if each > 0), default=0.0)
        return [min(each, self.weight_cap * lightest) for each in weights]


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
    """What has been received of one part, in place of hivemind's running sum; its ``directions`` are compared.

    How far that of each sender counts is written to ``counted``, a vector with a number for each.
    """

    def __init__(self, rule: ReductionRule, numbers: int, counted: Tensor, directions: LeaveOneOut) -> None:
        self._rule, self._numbers, self._counted, self._directions = rule, numbers, counted, directions
        self._sent = list[Sent]()

    def add_(self, sent: Sent, alpha: float) -> None:
        """Keep a sender's part; its weight is in it."""
        self._sent.append(sent)

    def div_(self, _total_weight: float) -> Tensor:
        """The aggregate, encoded: hivemind divides its sum once all senders were heard."""
        if not self._sent:
            return self._rule.codec.encode(torch.zeros(self._numbers))
        weighed = [each for each in self._sent if each.weight > 0]
        self._directions.add([each.sender for each in weighed], [each.part for each in weighed])
        parts, weights = [each.part for each in self._sent], [each.weight for each in self._sent]
        average, counted = self._rule.counted_average(parts, weights)
        for each, share in zip(self._sent, counted, strict=True):
            self._counted[each.sender] = share
        return average
