"""Whether what a sender has changed points away from what all others have together, exchange after exchange.

The changes of many steps agree far more than two gradients do, and the sum of all others has less noise than any of
them. FLTrust (Cao et al., arXiv:2012.13995) compares directions with one that its server computes; here there is none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import torch
from hivemind.p2p import PeerID
from torch import Tensor

from core.worker.swarm.aggregation.medians import median_low
from core.worker.swarm.aggregation.recent_peers import RecentPeers
from core.worker.swarm.aggregation.rules import MIN_SENDERS, clip_rows

AGAINST, AGREED = -0.2, 0.2  # cosines; in small batches those of honest peers are near zero
MIN_ROUNDS = 3  # in a row, until anybody is named
MIN_NUMBERS = 1000  # of an exchange: fewer may be opposite by chance


class Direction(NamedTuple):
    """Where a sender's changes point in one exchange, as two cosines.

    ``cosine`` is that with the sum of what all others have sent. ``agreement`` says how far these agree without it: the
    median, over them, of the cosine of one's changes with the sum of the rest of them.
    """

    cosine: float
    agreement: float

    @property
    def is_against(self) -> bool:
        """Whether the sender is against all others, while these agree."""
        return self.cosine < AGAINST and self.agreement > AGREED


class LeaveOneOut:
    """The directions of one exchange, in which everybody's changes are taken with the usual norm.

    ``shares`` has one number for each sender, see `rules`: a newcomer counts as a third of one. Senders are told by
    their index.
    """

    def __init__(self, shares: Sequence[float]) -> None:
        self._shares = torch.tensor(shares, dtype=torch.float64)
        self._products = torch.zeros(len(shares), len(shares), dtype=torch.float64)
        self._numbers = 0

    def add(self, senders: Sequence[int], parts: Sequence[Tensor]) -> None:
        """Take in one part of all these senders: equally long vectors of float32."""
        if len(senders) < MIN_SENDERS:
            return
        index = torch.tensor(senders)
        stacked = clip_rows(torch.stack([*parts]), self._shares[index].tolist())
        self._numbers += stacked.shape[1]
        self._products[index[:, None], index] += (stacked @ stacked.T).double()

    def directions(self) -> dict[int, Direction]:
        """Of each sender that has sent anything but zeros; of nobody where all have sent too few numbers."""
        sent = self._products.diagonal().nonzero().flatten()
        if self._numbers < MIN_NUMBERS or len(sent) < MIN_SENDERS:
            return {}
        shares = self._shares[sent]
        products = self._products[sent][:, sent] * shares[:, None] * shares
        return {
            sender: Direction(cosine, _median_cosine(products, shares, sent != sender))
            for sender, cosine in zip(sent.tolist(), _cosines_with_others(products).tolist(), strict=True)
        }


def are_against(parts: Sequence[Tensor], weights: Sequence[float], shares: Sequence[float]) -> Tensor:
    """Which senders of one part are against all others that have any weight; a mask, as long as ``weights``.

    They are told by the part alone, so that whoever averages it once more leaves out the same ones.
    """
    weighed = [sender for sender, weight in enumerate(weights) if weight > 0]
    compared, mask = LeaveOneOut(shares), torch.zeros(len(weights), dtype=torch.bool)
    compared.add(weighed, [parts[sender] for sender in weighed])
    mask[[sender for sender, direction in compared.directions().items() if direction.is_against]] = True
    return mask


def _median_cosine(products: Tensor, shares: Tensor, among: Tensor) -> float:
    """Of those senders, with the sum of the rest of them."""
    return median_low(_cosines_with_others(products[among][:, among]).tolist(), shares[among].tolist())


def _cosines_with_others(products: Tensor) -> Tensor:
    """Of each sender with the sum of all others, by the inner products of all with all; 0 where that sum is zero."""
    own, with_all = products.diagonal(), products.sum(dim=1)
    others = with_all.sum() - 2 * with_all + own
    return ((with_all - own) / (own * others).sqrt()).nan_to_num(0.0, 0.0, 0.0)


class OpposedSenders:
    """Counts in how many exchanges in a row each sender was against all others, while these agreed."""

    def __init__(self) -> None:
        self._rounds = RecentPeers[PeerID, int]()

    def add(self, directions: Mapping[PeerID, Direction]) -> frozenset[PeerID]:
        """Learn from an exchange; who was against the others in `MIN_ROUNDS` of its exchanges, this one included.

        Whoever is not against them once begins anew. Where the others do not agree, nobody learns anything.
        """
        for peer, direction in directions.items():
            if direction.cosine >= AGAINST:
                self._rounds.pop(peer, None)
            elif direction.is_against:
                self._rounds[peer] = self._rounds.get(peer, 0) + 1
        return frozenset(peer for peer in directions if self._rounds.get(peer, 0) >= MIN_ROUNDS)
