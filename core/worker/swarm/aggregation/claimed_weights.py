"""How much of the weights that senders claim is believed: a weight is a number of samples, which each reports before.

A report is public, and bounded by what the others can compute (``trust/sample_caps.py``); a weight is told to the peer
alone that averages a part, and nothing else bounds it.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from core.worker.swarm.aggregation.rules import MAX_RATIO, MIN_SENDERS

MORE_THAN_REPORTED = 2.0  # times the samples of its last report, as a peer may have computed since then


class ClaimedWeights:
    """The weights that the senders of one exchange claim; senders are told by their index.

    ``shares``, from 0 to 1, are what newcomers and crowded subnets have of theirs, see `SenderShares`. ``reported`` is
    how many samples of this epoch each has told the swarm of, 0 where it has told of none: then its claim is believed.
    """

    def __init__(self, shares: Sequence[float], reported: Sequence[float]) -> None:
        self._shares, self._reported = shares, reported
        self._claimed = [0.0 for _ in shares]

    def believed(self, sender: int, claimed: float) -> float:
        """What that claim counts for, in samples."""
        self._claimed[sender] = max(claimed, self._claimed[sender])
        return self._shares[sender] * min(claimed, MORE_THAN_REPORTED * self._reported[sender] or claimed)

    def absurd(self) -> set[int]:
        """Who has claimed far more than most others, and more than it can have computed since its last report."""
        weighed = [claim for claim in self._claimed if claim > 0]
        usual = MAX_RATIO * statistics.median_low(weighed) if weighed else 0.0
        return {
            sender
            for sender, claim in enumerate(self._claimed)
            if claim > max(usual, MORE_THAN_REPORTED * self._reported[sender])
            and (len(weighed) >= MIN_SENDERS or self._reported[sender] > 0)
        }


def is_honest_account(weight: float, claimed: float, reported: float, least_share: float) -> bool:
    """Whether an honest reducer may give a sender that weight which had claimed another.

    Of the claim, or of what the sender has reported if that is less, at least ``least_share`` is left. Two peers have
    heard of a sender's samples at different times, so the auditor's ``reported`` is taken without what may have come
    since.
    """
    return least_share * min(claimed, reported or claimed) <= weight <= claimed
