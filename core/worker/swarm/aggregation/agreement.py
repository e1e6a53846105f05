"""How far each sender's gradients agree with those of the others, over several rounds.

In one round, noise hides who sends a gradient with the opposite sign: on few samples any two may differ. Two honest
gradients have a positive inner product on average, because they are estimates of the same one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from hivemind.p2p import PeerID
from torch import Tensor

from core.worker.swarm.aggregation.medians import median_high
from core.worker.swarm.aggregation.recent_peers import RecentPeers
from core.worker.swarm.aggregation.rules import MIN_SENDERS

REMEMBERED_ROUNDS = 5
MIN_ROUNDS = 3  # until anybody is left out
AGAINST = -0.05  # a cosine; honest ones are above zero but for noise


class SenderAgreement:
    """For each sender, the cosines of its gradients with those of the others in the last rounds.

    What counts in a round is the upper median of a sender's cosines: of three, one liar has none above zero, and each
    of the others has one.
    """

    def __init__(self) -> None:
        self._cosines = RecentPeers[PeerID, deque[float]]()

    def add(self, senders: Sequence[PeerID], products: Tensor, shares: Sequence[float]) -> None:
        """Learn from a round; ``products``, (senders, senders), are the inner products of what they have sent.

        Each of them counts as a share of one, see `rules`.
        """
        norms = products.diagonal().clamp(min=0.0).sqrt()
        heard = [index for index, norm in enumerate(norms.tolist()) if norm > 0]
        if len(heard) < MIN_SENDERS:
            return
        for one in heard:
            others = [other for other in heard if other != one]
            cosines = [float(products[one, other] / (norms[one] * norms[other])) for other in others]
            last = self._cosines.get(senders[one], deque(maxlen=REMEMBERED_ROUNDS))
            last.append(median_high(cosines, [shares[other] for other in others]))
            self._cosines[senders[one]] = last

    def opposed(self) -> frozenset[PeerID]:
        """Those who have been against the others again and again; whoever agrees once is heard again."""
        return frozenset(
            sender
            for sender, cosines in self._cosines.items()
            if len(cosines) >= MIN_ROUNDS and max([*cosines][-MIN_ROUNDS:]) < AGAINST
        )
