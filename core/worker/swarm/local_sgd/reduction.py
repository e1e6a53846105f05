"""How a reducer of local SGD makes one average of what its senders have sent, and what size of it is usual."""

from __future__ import annotations

import math
import statistics
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from hivemind.averaging.partition import BannedException
from torch import Tensor

from core.run.spec.collaboration import Aggregation
from core.worker.swarm.aggregation.aggregators import Sent
from core.worker.swarm.aggregation.claimed_weights import ClaimedWeights
from core.worker.swarm.aggregation.leave_one_out import LeaveOneOut, are_against
from core.worker.swarm.aggregation.medians import median_high, shares_of_positive
from core.worker.swarm.aggregation.rules import MAX_RATIO, MIN_SENDERS, counted_aggregate, norm_ratios
from core.worker.swarm.averaging.part_reducers import CollectingReducer
from core.worker.swarm.local_sgd.audit.messages import Account
from core.worker.swarm.local_sgd.audit.verdict import digest_of
from core.worker.swarm.local_sgd.codecs.codec import Codec

REMEMBERED_ROUNDS = 5


def are_gross(sizes: Tensor, shares: Sequence[float]) -> Tensor:
    """Which of these sizes are far larger than the median of those that are not zero; of two nobody can say it.

    Of each sender there is one, and it counts as its share; see `rules`.

    A computer that is twenty times as fast as most takes as many more steps, and is as honest. Of two medians the
    larger counts, as in `UsualSize`.
    """
    sent = shares_of_positive(sizes.tolist(), shares)
    if sum(each > 0 for each in sent) < MIN_SENDERS:
        return torch.zeros_like(sizes, dtype=torch.bool)
    return sizes > MAX_RATIO * median_high(sizes.tolist(), sent)


def gross_senders(sizes: Tensor, shares: Sequence[float]) -> set[int]:
    """Those of whom any part is gross; ``sizes`` has a row for each part, and in it a number for each sender."""
    return {sender for of_part in sizes for sender in torch.nonzero(are_gross(of_part, shares)).flatten().tolist()}


@dataclass(frozen=True)
class ReductionRule:
    """How a reducer makes one part of what its senders have sent.

    Who has sent a gross part is not in the average: clipped to the usual norm, two of nine who claim a billion samples
    each would have more than half of the weight, and the average the opposite sign. Its other senders would take the
    reducer for the liar. Nor is one whose part points against those of all others, unless the run asks for the ``mean``
    of all: of three, one that sends the opposite would leave a third of what two have learned.
    """

    codec: Codec
    aggregation: Aggregation
    weight_cap: float

    def encoded_average(self, parts: Sequence[Tensor], weights: Sequence[float], shares: Sequence[float]) -> Tensor:
        """The average of decoded parts, of each sender one, as everybody gets it."""
        return self.counted_average(parts, weights, shares)[0]

    def counted_average(
        self, parts: Sequence[Tensor], weights: Sequence[float], shares: Sequence[float]
    ) -> tuple[Tensor, list[float]]:
        """That average, and how far each of the parts counts in it, from 0 to 1; see `counted_aggregate`."""
        norms = torch.stack([part.norm() for part in parts]) * (torch.tensor(weights) > 0)
        weighed = torch.tensor(weights, dtype=torch.float64).masked_fill(are_gross(norms, shares), 0.0)
        taken = weighed.masked_fill(self._are_against(parts, weighed.tolist(), shares), 0.0).tolist()
        bounded = taken if sum(each > 0 for each in taken) >= MIN_SENDERS else self._of_two(taken)
        average, counted = counted_aggregate(parts, bounded, self.aggregation, self.weight_cap, shares)
        return self.codec.encode(average), counted

    def _are_against(self, parts: Sequence[Tensor], weights: Sequence[float], shares: Sequence[float]) -> Tensor:
        is_asked = self.aggregation != "mean"
        return are_against(parts, weights, shares) if is_asked else torch.zeros(len(parts), dtype=torch.bool)

    def _of_two(self, weights: Sequence[float]) -> list[float]:
        """The same weights, of which the larger counts for so many times the smaller at the most.

        Of two senders nobody can say which one lies.
        """
        lightest = min((each for each in weights if each > 0), default=0.0)
        return [min(each, self.weight_cap * lightest) for each in weights]


class SentSize(NamedTuple):
    """How large the weight changes of one sender were, as root mean square, and of how many samples they were.

    It counts as a ``share`` of a sender, see `rules`.
    """

    size: float
    samples: float
    share: float = 1.0


@dataclass(frozen=True)
class SizeLimit:
    """The size of weight changes that no honest sender exceeds, or so much for each sample that it has computed."""

    size: float = math.inf
    per_sample: float = 0.0

    def of(self, samples: float) -> float:
        """That of a sender which has computed so many."""
        return max(self.size, self.per_sample * samples)


class UsualSize:
    """How large weight changes are, by the medians of the last rounds.

    Of two senders nobody can say which one lies, unless both are compared with what was sent before. Of two medians the
    larger counts: a slow computer, or a liar who sends next to nothing, must not have the others left out. Where a
    swarm begins, a round may have had a single step of each, and the next one hundreds: changes grow with the samples.
    """

    def __init__(self) -> None:
        self._medians = deque[tuple[float, float]](maxlen=REMEMBERED_ROUNDS)  # of sizes, and of those for each sample

    def add(self, sent: Sequence[SentSize]) -> None:
        """Learn what the senders of one round have sent."""
        if sent:
            weighed = [each for each in sent if each.samples > 0]
            per_sample = [each.size / each.samples for each in weighed]
            usual = median_high(per_sample, [each.share for each in weighed]) if weighed else 0.0
            self._medians.append((median_high([each.size for each in sent], [each.share for each in sent]), usual))

    def limit(self) -> SizeLimit:
        """That of the next round."""
        if not self._medians:
            return SizeLimit()
        return SizeLimit(*(MAX_RATIO * statistics.median_high(each) for each in zip(*self._medians, strict=True)))


class DeltaReducer(CollectingReducer):
    """Aggregates encoded parts by a rule; what a sender receives of it is the encoded aggregate.

    ``lengths`` count the numbers of the parts, and ``usual_sizes`` are the root mean squares of ours. A part whose root
    mean square exceeds ``limit`` is left out; that of our ``own`` sender has no weight then. ``claims`` says how much
    of the weights is believed that the senders claim. ``keep(part, sender, encoded)`` is called with what others send.
    """

    def __init__(
        self,
        lengths: Sequence[int],
        usual_sizes: Sequence[float],
        senders: int,
        rule: ReductionRule,
        limit: SizeLimit = SizeLimit(),
        own: int | None = None,
        claims: ClaimedWeights | None = None,
    ) -> None:
        self._rule, self._limit, self._own, self._usual_sizes = rule, limit, own, usual_sizes
        self._claims = claims or ClaimedWeights([1.0] * senders, [0.0] * senders)
        self.keep: Callable[[int, int, Tensor], None] = lambda _part, _sender, _encoded: None
        self._norms, self._weights = torch.zeros(len(lengths), senders), torch.zeros(len(lengths), senders).double()
        self._refused, self._digests = set[int](), [[b""] * senders for _ in lengths]
        self._counted = torch.ones(len(lengths), senders)
        self.leave_one_out = LeaveOneOut(self._claims.shares)
        super().__init__([torch.zeros(()).expand(length) for length in lengths], senders)

    def _usual_size(self, part_index: int) -> float:
        return 1.0 + self._usual_sizes[part_index]  # a keeper has changed nothing

    async def accumulate_part(
        self, sender_index: int, part_index: int, tensor_part: Tensor, weight: float = 1.0
    ) -> Tensor:
        """Add a sender's encoded part; the encoded aggregate, once everybody was heard."""
        self._check_turn(sender_index, part_index)
        shape, encoded = self.part_shapes[part_index], tensor_part
        try:
            tensor_part = self._rule.codec.decode(tensor_part, shape.numel())
        except ValueError as error:
            self.invalid_senders.add(sender_index)
            raise BannedException(f"sender {sender_index}: {error}") from error
        if weight > 0:
            self._norms[part_index, sender_index] = norm = tensor_part.norm()
            limit = self._limit.of(self._claims.computed(sender_index, weight))
            if float(norm) > limit * shape.numel() ** 0.5:
                self._refused.add(sender_index)
                if sender_index != self._own:
                    self.invalid_senders.add(sender_index)
                    raise BannedException(f"sender {sender_index} sent {float(norm):.3g}, far more than is usual")
                weight = 0.0
        self._weights[part_index, sender_index] = weight = self._claims.credible(sender_index, weight)
        self._digests[part_index][sender_index] = digest_of(encoded.numpy())
        if sender_index != self._own:
            self.keep(part_index, sender_index, encoded)
        try:
            return await super().accumulate_part(sender_index, part_index, tensor_part, weight)
        except BannedException:
            self._weights[part_index, sender_index] = 0.0
            raise

    def _combined(self, part_index: int, sent: Sequence[Sent]) -> Tensor:
        """The encoded aggregate; how far each sender's part counts in it is noted, and the directions are compared."""
        if not sent:
            return self._rule.codec.encode(torch.zeros(self.part_shapes[part_index]))
        weighed = [each for each in sent if each.weight > 0]
        self.leave_one_out.add([each.sender for each in weighed], [each.part for each in weighed])
        shares = [self._claims.shares[each.sender] for each in sent]
        parts, weights = [each.part for each in sent], [each.weight for each in sent]
        average, counted = self._rule.counted_average(parts, weights, shares)
        for each, share in zip(sent, counted, strict=True):
            self._counted[part_index, each.sender] = share
        return average

    def counted(self, part_index: int, sender_index: int) -> float:
        """How far what that sender has sent counts in the average of that part, from 0 to 1, once it is there."""
        return float(self._counted[part_index, sender_index])

    def accounts(self) -> list[Account]:
        """Of each part, how it was made."""
        return [
            Account(tuple(weights), tuple(digests), tuple(self._claims.shares))
            for weights, digests in zip(self._weights.tolist(), self._digests, strict=True)
        ]

    def sizes(self) -> list[SentSize]:
        """How large that was which each has sent who has any weight, and was not left out.

        Where all were, it is that of all: if everybody's changes have grown, they are taken again after some rounds.
        """
        lengths = torch.tensor([float(shape.numel()) for shape in self.part_shapes])
        numbers = (lengths[:, None] * (self._norms > 0)).sum(dim=0)
        squares = self._norms.square().sum(dim=0)
        of_senders = zip(squares.tolist(), numbers.tolist(), strict=True)
        sizes = [math.sqrt(square / count) if 0 < square < math.inf else 0.0 for square, count in of_senders]
        sent = list(map(SentSize, sizes, map(max, zip(*self._weights.tolist(), strict=True)), self._claims.shares))
        left_out = self._refused | gross_senders(self._norms, self._claims.shares)
        taken = [each for sender, each in enumerate(sent) if each.size and sender not in left_out]
        return taken or [each for each in sent if each.size]

    def outliers(self) -> set[int]:
        """The senders of invalid parts, and those whose weight, or part, is absurdly large beside the others'.

        Per sample as well: beside a beginner's first step, all that others have learned is large, and honest.
        """
        per_sample = torch.where(self._weights > 0, self._norms / self._weights, 0.0)
        shares = self._claims.shares
        gross = gross_senders(self._norms, shares) & gross_senders(per_sample, shares)
        return set(super().outliers()) | gross | self._claims.absurd()

    def norm_ratios(self) -> dict[int, float]:
        """As ValidatingReducer, of the changes of a round."""
        return norm_ratios(self._norms.double().square().sum(dim=0), self._claims.shares)
