"""The two aggregators of a peer, for gradients and for states: each remembers what was usual in earlier exchanges.

An aggregator judges both sides of an exchange: as a reducer, what the senders of a part have sent, and as a sender,
what the reducers return.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import torch
from hivemind.p2p import PeerID
from torch import Tensor

from core.run.spec.collaboration import Aggregation
from core.worker.swarm.aggregation.agreement import SenderAgreement
from core.worker.swarm.aggregation.answer_bounds import AGREED, AnswerBounds, GradientAnswers, StateAnswers
from core.worker.swarm.aggregation.claimed_weights import ClaimedWeights, ReportedSamples
from core.worker.swarm.aggregation.medians import median_low
from core.worker.swarm.aggregation.rules import MAX_RATIO, MIN_SENDERS, aggregate, clip_rows, norm_ratios
from core.worker.swarm.aggregation.state_aggregation import aggregate_states
from core.worker.swarm.aggregation.state_movement import StateMovement
from core.worker.swarm.aggregation.sybil_resistance import SenderShares

LARGER_THAN_OURS = 3.0  # times our norm, as the gradient of a peer with a tenth of our samples


@dataclass(frozen=True)
class AggregationRule:
    """What the run says about it: the rule, and how many times the median one peer's weight counts at the most."""

    aggregation: Aggregation = "clip"
    weight_cap: float = 4.0


@dataclass(frozen=True)
class Sent:
    """What one sender has sent of a part: flat float32 of any length, with the weight that it claims."""

    sender: int
    part: Tensor
    weight: float


class ReceivedParts:
    """What all senders have sent of one part, in place of hivemind's running sum; ``combined`` makes a tensor of it."""

    def __init__(self, combined: Callable[[Sequence[Sent]], Tensor]) -> None:
        self._combined, self._sent = combined, list[Sent]()

    def add_(self, sent: Sent, alpha: float) -> None:
        """Keep a sender's part; its weight is in it."""
        self._sent.append(sent)

    def div_(self, _total_weight: float) -> Tensor:
        """What is made of the part: hivemind divides its sum once all senders were heard."""
        return self._combined(self._sent)


class Aggregator(ABC):
    """Aggregates parts, and bounds what comes back; ``begin`` is called for every exchange, ``end`` for every round.

    The ``shares`` say as how much of a sender newcomers count, and each of many peers of one subnet.
    """

    answers: AnswerBounds

    def __init__(self, rule: AggregationRule) -> None:
        self._rule = rule
        self._is_robust = rule.aggregation != "mean"
        self.shares = SenderShares()
        self._reported = ReportedSamples()
        self._senders: Sequence[PeerID] = ()
        self._own: int | None = None

    def know_samples(self, reported: ReportedSamples) -> None:
        """Learn how many samples of this epoch each peer has told the swarm of."""
        self._reported = reported

    def reported(self, senders: Sequence[PeerID]) -> list[float]:
        """How many samples of this epoch each of these has told the swarm of; 0 where that is unknown."""
        return [self._reported.latest.get(peer, 0.0) for peer in senders]

    def known_to_all(self, senders: Sequence[PeerID]) -> list[float]:
        """How many samples of each of these an honest reducer of the exchange must have heard of."""
        return [self._reported.known_to_all.get(peer, 0.0) for peer in senders]

    def claims(self, senders: Sequence[PeerID], own: int | None) -> ClaimedWeights:
        """How much of the weights of these is believed in an exchange of theirs; ``own`` is our index among them."""
        return ClaimedWeights(self.shares.of(senders), self.reported(senders), own)

    def begin(self, tensors: Sequence[Tensor], senders: Sequence[PeerID], own: int | None, weight: float = 1.0) -> None:
        """An exchange of these tensors begins, in which they have that weight; ``own`` is our index among senders."""
        self._senders, self._own = senders, own
        numbers = max(1, sum(tensor.numel() for tensor in tensors))
        self.own_size = math.sqrt(sum(float(tensor.norm()) ** 2 for tensor in tensors) / numbers)
        self.movements = [0.0 for _ in tensors]
        others = [samples or weight for index, samples in enumerate(self.reported(senders)) if index != own]
        self.answers.begin(self.own_size, len(senders), weight / (weight + sum(others)) if weight > 0 else 1.0)

    @abstractmethod
    def aggregated(self, sent: Sequence[Sent], mine: Tensor, movement: float) -> Tensor:
        """The aggregate of a part of which ``mine`` is our own, which has moved by so much, relatively."""

    @abstractmethod
    def end(self, tensors: Sequence[Tensor]) -> None:
        """The round is over, and its last exchange, after which our tensors are these."""

    @property
    @abstractmethod
    def named(self) -> set[int]:
        """The senders that have lied grossly in this exchange, as far as we have reduced parts of it."""

    def norm_ratios(self) -> dict[int, float]:
        """How large what each has sent is beside the others'; see `rules.norm_ratios`. States are not compared."""
        return {}


class GradientAggregator(Aggregator):
    """Weights are bounded by each other and by the reports; who is new has less, and who opposes the others none."""

    def __init__(self, rule: AggregationRule) -> None:
        super().__init__(rule)
        self.answers, self._agreement = GradientAnswers(), SenderAgreement()

    def begin(self, tensors: Sequence[Tensor], senders: Sequence[PeerID], own: int | None, weight: float = 1.0) -> None:
        """Begin an exchange as `Aggregator` does, and leave out who is opposed."""
        super().begin(tensors, senders, own, weight)
        self._products, self._named = torch.zeros(len(senders), len(senders), dtype=torch.float64), set[int]()
        self._squares = torch.zeros(len(senders), dtype=torch.float64)
        self._claims = self.claims(senders, own)
        opposed = self._agreement.opposed() if self._is_robust else frozenset()
        self._left_out = {index for index, peer in enumerate(senders) if peer in opposed and index != own}

    def aggregated(self, sent: Sequence[Sent], mine: Tensor, movement: float) -> Tensor:
        """As `Aggregator`; zeros where nobody has any weight."""
        weighed = [
            replace(each, weight=self._claims.credible(each.sender, each.weight)) for each in sent if each.weight > 0
        ]
        if not weighed:
            return torch.zeros_like(mine)
        self._compare(weighed)
        counted = [each for each in weighed if each.sender not in self._left_out] or weighed
        parts, weights = [each.part for each in counted], [each.weight for each in counted]
        if len(counted) < MIN_SENDERS:
            parts, weights = self._bounded_by_ours(counted, parts, weights)
        shares = [self._claims.shares[each.sender] for each in counted]
        return aggregate(parts, weights, self._rule.aggregation, self._rule.weight_cap, shares)

    def _compare(self, weighed: Sequence[Sent]) -> None:
        """Take note of who has sent far more than the others, and of the inner products of all parts."""
        if len(weighed) < MIN_SENDERS:
            return
        stacked = torch.stack([each.part for each in weighed])
        norms = stacked.norm(dim=1)
        index = torch.tensor([each.sender for each in weighed])
        shares = [self._claims.shares[each.sender] for each in weighed]
        self._squares[index] += norms.double().square()
        usual = median_low(norms.tolist(), shares)
        gross = norms > MAX_RATIO * usual
        if usual > 0:
            self._named.update(each.sender for each, is_gross in zip(weighed, gross.tolist(), strict=True) if is_gross)
        stacked = clip_rows(stacked, shares)
        self._products[index[:, None], index] += (stacked @ stacked.T).double()

    @property
    def named(self) -> set[int]:
        """As `Aggregator`: by the size of a part, or by a weight that was not reported."""
        return self._named | self._claims.absurd()

    def norm_ratios(self) -> dict[int, float]:
        """As `Aggregator`, of the gradients that we have averaged."""
        return norm_ratios(self._squares, self._claims.shares)

    def _bounded_by_ours(
        self, counted: Sequence[Sent], parts: list[Tensor], weights: list[float]
    ) -> tuple[list[Tensor], list[float]]:
        """Of two there is no majority; what we have sent ourselves is no lie."""
        own = next((number for number, each in enumerate(counted) if each.sender == self._own), None)
        if own is None:
            return parts, weights
        weight, norm = self._rule.weight_cap * weights[own], LARGER_THAN_OURS * float(parts[own].norm())
        weights = [min(each, weight) for each in weights]
        if self._is_robust and norm > 0:
            parts = [each * min(1.0, norm / max(norm, float(each.norm()))) for each in parts]
        return parts, weights

    def end(self, tensors: Sequence[Tensor]) -> None:
        """End a round as `Aggregator` does, and learn who agreed with whom in its last exchange."""
        self._agreement.add(self._senders, self._products, self._claims.shares)
        self.shares.add_round(self._senders)
        self._reported = ReportedSamples()  # of an epoch that is over


class StateAggregator(Aggregator):
    """Every peer counts as one at the most; who is far from what most have in common pulls nobody there."""

    def __init__(self, rule: AggregationRule) -> None:
        super().__init__(rule)
        self.answers, self._movement = StateAnswers(), StateMovement()

    def begin(self, tensors: Sequence[Tensor], senders: Sequence[PeerID], own: int | None, weight: float = 1.0) -> None:
        """Begin an exchange as `Aggregator` does, and see how far we have moved."""
        super().begin(tensors, senders, own, weight)
        self.movements, self._surplus = self._movement.of(tensors), self.shares.surplus(senders) - {own}
        self._compared = torch.zeros(2, len(senders), dtype=torch.float64)

    def aggregated(self, sent: Sequence[Sent], mine: Tensor, movement: float) -> Tensor:
        """As `Aggregator`; of two senders, neither pulls the other further than usual; who has no weight, nobody."""
        parts = [each.part for each in sent]
        weights = [0.0 if each.sender in self._surplus else each.weight for each in sent]
        is_ours_weighed = any(each.sender == self._own and each.weight > 0 for each in sent)
        if self._is_robust and is_ours_weighed and len([weight for weight in weights if weight > 0]) < MIN_SENDERS:
            assert isinstance(self.answers, StateAnswers)
            shorten = self.answers.shortened
            parts = [part if part is mine else mine + shorten(mine, part - mine, movement) for part in parts]
        whole = aggregate_states(parts, weights, self._is_robust)
        if len(sent) >= MIN_SENDERS:
            self._compare(sent, whole)
        return whole

    def _compare(self, sent: Sequence[Sent], whole: Tensor) -> None:
        """Take note of the squares of the aggregate's norm and of each sender's distance from it."""
        size = float(whole.norm()) ** 2
        for each in sent:
            distance = float((each.part - whole).norm()) ** 2
            self._compared[:, each.sender] += torch.tensor([size, distance], dtype=torch.float64)

    @property
    def named(self) -> set[int]:
        """Who is further from the others than they are from zero, while they agree, in all parts together.

        In a single tensor that may happen to honest peers: the moments of an optimizer's first step without the others.
        """
        sizes, distances = self._compared.sqrt()
        heard = sizes > 0
        if not heard.any() or (distances[heard] / sizes[heard]).median() >= AGREED:
            return set()
        return set((heard & ~(distances <= sizes)).nonzero().flatten().tolist())

    def end(self, tensors: Sequence[Tensor]) -> None:
        """End a round as `Aggregator` does, and remember our tensors."""
        self._movement.remember(tensors)
