"""How much of the weights that senders claim is believed: a weight is a number of samples, which each reports before.

A report is public, and bounded by what the others can compute (``trust/sample_caps.py``); a weight is told to the peer
alone that averages a part, and nothing else bounds it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hivemind.p2p import PeerID

from core.worker.swarm.aggregation.medians import median_high, median_low, shares_of_positive
from core.worker.swarm.aggregation.rules import MAX_RATIO, MIN_SENDERS

MORE_THAN_REPORTED = 2.0  # times the samples of its last report, as a peer may have computed since then


@dataclass(frozen=True)
class ReportedSamples:
    """How many samples of our epoch each peer has told the swarm of; who is not there has told of none.

    ``latest`` is what we believe of the others now, and at their speeds. ``known_to_all`` is what each, ourselves
    included, had told so long ago that everybody must have heard of it.
    """

    latest: Mapping[PeerID, float] = field(default_factory=dict)
    known_to_all: Mapping[PeerID, float] = field(default_factory=dict)


class ClaimedWeights:
    """The weights that the senders of one exchange claim; senders are told by their index.

    ``shares``, from 0 to 1, say as how much of a sender each counts where it is asked what is usual, see
    `SenderShares`. ``reported`` is how many samples of this epoch each has told the swarm of. Who has told of none, as
    one whose report we have not seen yet, counts for the median of the others' reports at the most; where nobody has
    told of any, claims are believed, and bounded by each other alone. Our ``own`` sender claims what we know to be
    true.
    """

    def __init__(self, shares: Sequence[float], reported: Sequence[float], own: int | None = None) -> None:
        self.shares, self._reported, self._own = shares, reported, own
        told = shares_of_positive(reported, shares)
        self._usual = median_high(reported, told) if any(told) else math.inf
        self._claimed = [0.0 for _ in shares]

    def credible(self, sender: int, claimed: float) -> float:
        """How much of that claim the reports bear out, in samples; see `ClaimedWeights`."""
        self._claimed[sender] = max(claimed, self._claimed[sender])
        usual = math.inf if sender == self._own else self._usual
        return self.computed(sender, claimed) or min(claimed, usual)

    def computed(self, sender: int, claimed: float) -> float:
        """How many samples it may have computed of those that it claims: none where it has told the swarm of none."""
        return min(claimed, MORE_THAN_REPORTED * self._reported[sender])

    def absurd(self) -> set[int]:
        """Who has claimed far more than most others, and more than it can have computed since its last report."""
        weighed = shares_of_positive(self._claimed, self.shares)
        usual = MAX_RATIO * median_low(self._claimed, weighed) if any(weighed) else 0.0
        return {
            sender
            for sender, claim in enumerate(self._claimed)
            if claim > max(usual, MORE_THAN_REPORTED * self._reported[sender])
            and (sum(each > 0 for each in weighed) >= MIN_SENDERS or self._reported[sender] > 0)
        }


def is_honest_account(weight: float, claimed: float, known_to_all: float, least_share: float) -> bool:
    """Whether an honest reducer may give a sender that weight which had claimed another.

    Of the claim, or of the samples of the sender that the reducer must have heard of, if these are less, at least
    ``least_share`` is left. In the first minute of an epoch those are 0: the reducer may have looked when the sender
    had reported its first batch alone, and only a claim that is taken for nothing shows a lie.
    """
    if claimed <= 0:
        return weight == 0
    return 0 < weight <= claimed and weight >= least_share * min(claimed, known_to_all)
