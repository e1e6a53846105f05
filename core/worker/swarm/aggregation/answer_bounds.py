"""Bounds on what a reducer returns: nobody but us can say what it should have been, and it may be a lie.

Two things are known of the true answer. Its size is a matter of experience: of our own part's size, and of what came
back in earlier rounds. And our own part is in it: an average of gradients of which ours is one has a positive inner
product with ours, noise included. How much of it is ours depends on how many samples we have computed: who was paused
for most of an epoch finds little of its own gradient in the average, and the gradient of few samples is large by noise.
"""

from __future__ import annotations

import math
import statistics
from collections import defaultdict, deque
from collections.abc import Sequence

import torch
from hivemind.p2p import PeerID
from torch import Tensor

from core.worker.swarm.aggregation.rules import MAX_RATIO

REMEMBERED_ROUNDS = 5

MIN_SHARE = 0.3  # of the usual share of our own part in an answer
NOISE = 3.0  # standard deviations
LARGER = 1.5  # than usual, as an honest average may be
OPPOSITE = -0.2  # a cosine that no average of many numbers has with one of its terms

STEPS_BACK = 0.5  # of our own movement since the last round, by which a state is pulled to an average in any case
FURTHER = 3.0  # than usual
AGREED = 0.1  # of the norm of a state, as the distance that most peers' states have from each other at the most
FIRST_MOVEMENT = 0.1  # of the size of our numbers, where our movement is not known


class AnswerBounds:
    """Bounds on the answers of one averager's reducers; it remembers what was usual. All parts are flat float32."""

    def __init__(self) -> None:
        self.begin(0.0, 1)

    def begin(self, own_size: float, senders: int, own_share: float = 1.0) -> None:
        """Begin a round.

        ``own_size`` is the root mean square of all that we send, and ``own_share`` our part of the samples that all
        senders have reported.
        """
        self._own_size, self._senders, self._own_share = own_size, senders, own_share
        self._sums = defaultdict[int, Tensor](lambda: torch.zeros((), dtype=torch.float64))

    def bounded(self, reducer: int, mine: Tensor, change: Tensor, movement: float | None) -> Tensor:
        """The change of our own part that a reducer may cause; ``movement`` is ours since the last round, relative."""
        raise NotImplementedError

    def end(self, own: int | None, peers: Sequence[PeerID]) -> frozenset[int]:
        """Learn from the round; which of these peers have lied grossly as reducers, ``own`` being ourselves, if one."""
        raise NotImplementedError

    def _add(self, reducer: int, *numbers: float) -> None:
        """Add what is summed over the parts of that reducer."""
        self._sums[reducer] = self._sums[reducer] + torch.tensor(numbers, dtype=torch.float64)

    def _scale(self, mine: Tensor) -> float:
        """The norm that numbers like ours have; where ours are zero, as in unused rows, as all of ours together."""
        return float(mine.norm()) or self._own_size * math.sqrt(mine.numel())


class GradientAnswers(AnswerBounds):
    """An answer without our own part in it is replaced by our own part, and a larger one than usual is scaled down."""

    def __init__(self) -> None:
        self._sizes = deque[float](maxlen=REMEMBERED_ROUNDS)
        self._shares = deque[float](maxlen=REMEMBERED_ROUNDS)
        self._own_sizes = deque[float](maxlen=REMEMBERED_ROUNDS)
        self._opposed = frozenset[PeerID]()  # whose answers were the opposite of ours in the last round
        super().__init__()

    def bounded(self, reducer: int, mine: Tensor, change: Tensor, movement: float | None) -> Tensor:
        """As `AnswerBounds`; who has computed nothing takes what comes."""
        own = self._scale(mine)
        if not own:
            return change
        answer = mine + change
        size, product = float(answer.norm()), float(answer @ mine)
        self._add(reducer, own**2, size**2, product)
        noise = NOISE * size / (own * math.sqrt(mine.numel()))
        if mine.any() and product / own**2 < MIN_SHARE * self._expected_share() - noise:
            return torch.zeros_like(mine)
        limit = LARGER * own * self._usual_size()
        return answer * (limit / size) - mine if size > limit else change

    def _expected_share(self) -> float:
        """The share that is usual, or as much as our samples are worth; a reducer clips what is larger than usual."""
        if not self._shares:
            return 0.0
        usual_size = statistics.median(self._own_sizes)
        clipped = usual_size / self._own_size if self._own_size > usual_size else 1.0
        return min(statistics.median(self._shares), self._own_share) * clipped

    def _usual_size(self) -> float:
        return statistics.median(self._sizes) if self._sizes else 1.0

    def end(self, own: int | None, peers: Sequence[PeerID]) -> frozenset[int]:
        """As `AnswerBounds`; our own answers are what is usual, or the medians where we reduce nothing.

        Of two reducers of which one lies, nobody can tell them apart by that: so a share is never taken to be larger
        than one of as many equal ones, nor a size to be smaller than that of an average of noise. Where the answers of
        all reducers are opposite to ours, it is we who differ; and one answer may be opposite by chance: at the edge of
        stability the gradient changes its sign with each step, and ours may be of weights before a step.
        """
        sizes = {each: math.sqrt(sums[1] / sums[0]) for each, sums in self._sums.items()}
        shares = {each: float(sums[2] / sums[0]) for each, sums in self._sums.items()}
        if sizes:
            size = sizes[own] if own in sizes else statistics.median_low(sizes.values())
            share = shares[own] if own in shares else statistics.median_high(shares.values())
            self._sizes.append(min(1.0, max(size, 1 / math.sqrt(self._senders))))
            self._shares.append(max(0.0, min(share, 1 / self._senders)))
            self._own_sizes.append(self._own_size)
        huge = {each for each, size in sizes.items() if not size <= MAX_RATIO}
        opposite = {each for each, size in sizes.items() if shares[each] < OPPOSITE * size}
        if opposite == sizes.keys():
            opposite = set()
        again = {each for each in opposite if peers[each] in self._opposed}
        self._opposed = frozenset(peers[each] for each in opposite)
        return frozenset((huge | again) - {own})


class StateAnswers(AnswerBounds):
    """What changes our state by much more than a step of ours, and than is usual, changes it by as much as that."""

    def __init__(self) -> None:
        self._distances = deque[float](maxlen=REMEMBERED_ROUNDS)
        super().__init__()

    def bounded(self, reducer: int, mine: Tensor, change: Tensor, movement: float | None) -> Tensor:
        """As `AnswerBounds`; who has missed a step comes back in some rounds."""
        size = self._scale(mine)
        scale, shortened = (movement or FIRST_MOVEMENT) * size, self.shortened(mine, change, movement)
        self._add(reducer, size**2, float(change.norm()) ** 2, scale**2, float(shortened.norm()) ** 2)
        return shortened

    def shortened(self, mine: Tensor, change: Tensor, movement: float | None) -> Tensor:
        """A change of ours that is not longer than what somebody else may cause."""
        usual = statistics.median(self._distances) if self._distances else 0.0
        limit = (movement or FIRST_MOVEMENT) * self._scale(mine) * max(STEPS_BACK, FURTHER * usual)
        distance = float(change.norm())
        return change * (limit / distance) if distance > limit else change

    def end(self, own: int | None, peers: Sequence[PeerID]) -> frozenset[int]:
        """As `AnswerBounds`; who differs from all reducers names nobody.

        What was cut off an answer is not learned as usual: where the other reducers are lost, only a liar may be left.
        """
        steps = [math.sqrt(sums[3] / sums[2]) for sums in self._sums.values() if sums[2]]
        relative = {each: math.sqrt(sums[1] / sums[0]) for each, sums in self._sums.items() if sums[0]}
        if steps:
            self._distances.append(statistics.median_low(steps))
        is_ours_right = len(relative) > 1 and statistics.median_low(relative.values()) < AGREED
        return frozenset(each for each in relative if is_ours_right and each != own and not relative[each] < 1.0)
