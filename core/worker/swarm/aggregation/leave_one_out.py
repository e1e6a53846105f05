"""Whether what a sender has changed points away from what all others have together, exchange after exchange.

The changes of many steps agree far more than two gradients do, and the sum of all others has less noise than any of
them. FLTrust (Cao et al., arXiv:2012.13995) compares directions with one that its server computes; here there is none.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence

import torch
from hivemind.p2p import PeerID
from torch import Tensor

from core.worker.swarm.aggregation.rules import MIN_SENDERS, clip_rows

AGAINST, AGREED = -0.2, 0.2  # cosines; in small batches those of honest peers are near zero
MIN_ROUNDS = 4  # in a row, until anybody is named
MIN_NUMBERS = 1000  # of an exchange: fewer may be opposite by chance


class LeaveOneOut:
    """Of one exchange: the cosine of each sender's changes with the sum of all others', each of the usual norm.

    ``senders`` is how many there are; they are told by their index.
    """

    def __init__(self, senders: int) -> None:
        self._products, self._own, self._others = torch.zeros(3, senders, dtype=torch.float64)
        self._numbers = 0

    def add(self, senders: Sequence[int], parts: Sequence[Tensor]) -> None:
        """Take in one part of all these senders: equally long vectors of float32."""
        if len(senders) <= MIN_SENDERS:
            return
        stacked, index = clip_rows(torch.stack([*parts])), torch.tensor(senders)
        whole, squares = stacked.sum(dim=0), stacked.norm(dim=1).square()
        products = stacked @ whole
        self._numbers += len(whole)
        self._products[index] += (products - squares).double()
        self._own[index] += squares.double()
        self._others[index] += (whole @ whole - 2 * products + squares).double()

    def cosines(self) -> dict[int, float]:
        """Of each sender that has sent anything; of nobody where all have sent too few numbers."""
        if self._numbers < MIN_NUMBERS:
            return {}
        cosines = self._products / (self._own * self._others).sqrt()
        return {sender: cosine for sender, cosine in enumerate(cosines.tolist()) if -1.1 < cosine < 1.1}


class OpposedSenders:
    """Counts in how many exchanges in a row each sender was against all others, while these agreed."""

    def __init__(self) -> None:
        self._rounds = dict[PeerID, int]()

    def add(self, cosines: Mapping[PeerID, float]) -> frozenset[PeerID]:
        """Learn from an exchange; who was against the others in `MIN_ROUNDS` of its exchanges, this one included.

        Whoever is not against them once begins anew. Where the others do not agree, nobody learns anything.
        """
        for peer, cosine in cosines.items():
            others = [each for other, each in cosines.items() if other != peer]
            if cosine >= AGAINST:
                self._rounds.pop(peer, None)
            elif len(others) >= MIN_SENDERS and statistics.median(others) > AGREED:
                self._rounds[peer] = self._rounds.get(peer, 0) + 1
        return frozenset(peer for peer in cosines if self._rounds.get(peer, 0) >= MIN_ROUNDS)
