"""What follows from a part that two peers have averaged, if their averages differ.

The auditor has what each sender says to have sent, and the reducer's account of what it has received. Where both are
the same, and the average is still another one, the reducer has lied. Where they differ, one of the two has, and nobody
can tell which: a *dispute*.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from core.worker.swarm.aggregation.claimed_weights import is_honest_account
from core.worker.swarm.aggregation.medians import median_low, shares_of_positive
from core.worker.swarm.aggregation.recent_peers import RecentPeers
from core.worker.swarm.aggregation.rules import MAX_RATIO
from core.worker.swarm.aggregation.sybil_resistance import MAX_OF_SUBNET, RAMP_ROUNDS
from core.worker.swarm.local_sgd.audit.messages import DIGEST_BYTES, Account
from core.worker.swarm.local_sgd.codecs.codec import Codec

TOLERANCE = 0.01  # of the average's norm: the order of a sum, or another processor, changes some last bits
MOST_DISPUTES = 2  # with different peers, that an honest peer may have: more liars than that are not expected
MOST_SILENCES = 5  # exchanges in a row that a reducer may leave without account, as one whose next has begun
SLACK = 1e-6  # of a weight
CAPPED = 4.0  # times what a reducer believes of a fast sender's report, its auditor may, see ``trust/sample_caps.py``


@dataclass(frozen=True)
class Shown:
    """What a sender shows an auditor of one part: its encoding, and the weight that it had claimed."""

    encoded: bytes
    weight: float


@dataclass(frozen=True)
class AuditedPart:
    """A part of an exchange of so many ``numbers``, the ``average`` that its ``reducer`` returned, and who sent it.

    ``combine`` makes the encoded average of decoded parts, their weights and shares, by the run's rule. Senders, the
    reducer among them, are numbered in the order of the group; ``own`` is the auditor's number, and ``reported`` how
    many samples each had told the swarm of, 0 where the auditor has not heard of any; those ``known_to_all`` each had
    told so early that the reducer must have heard of them.
    """

    reducer: int
    own: int
    senders: int
    numbers: int
    average: bytes
    codec: Codec
    combine: Callable[[Sequence[Tensor], Sequence[float], Sequence[float]], Tensor]
    reported: Sequence[float]
    known_to_all: Sequence[float]

    def decoded(self, encoded: bytes) -> Tensor:
        """The numbers in that encoding of the part; raises ValueError where it is none."""
        return self.codec.decode(torch.frombuffer(bytearray(encoded or b"\0"), dtype=torch.uint8), self.numbers)


@dataclass(frozen=True)
class Verdict:
    """Whether the reducer is a liar, and with which senders it is in dispute, by their numbers; ``reason`` says why."""

    is_liar: bool = False
    disputed: frozenset[int] = frozenset()
    reason: str = field(default="", compare=False)


def digest_of(encoded: Any) -> bytes:
    """The hash by which what a sender has sent is compared with what its reducer has received; any buffer of bytes."""
    return hashlib.blake2b(encoded, digest_size=DIGEST_BYTES).digest()


def judge(part: AuditedPart, shown: Mapping[int, Shown], account: Account) -> Verdict | None:
    """The verdict on a part; ``None`` where somebody has not shown what it sent, so that nobody can tell.

    ``shown`` are those who have received all averages, the reducer and ourselves included.
    """
    if {len(account.weights), len(account.digests), len(account.shares)} != {part.senders}:
        return Verdict(is_liar=True, reason="its account is of another group")
    weighed = {sender: weight for sender, weight in enumerate(account.weights) if weight > 0}
    if account.weights[part.reducer] > MAX_RATIO * _believable(part, account):
        return Verdict(is_liar=True, reason=f"it weighs itself {account.weights}, and reported {part.reported}")
    if not weighed.keys() <= shown.keys():
        return None
    misweighed = _wrongly_weighed(part, shown, account)
    other = {each for each in weighed if digest_of(shown[each].encoded) != account.digests[each]}
    disputed, reason = misweighed | other, f"wrong weights of {misweighed}, other bytes of {other}: {account}"
    if disputed & {part.reducer, part.own}:  # of what it has sent itself, or we have, there is no doubt
        return Verdict(is_liar=True, reason=reason)
    if disputed:
        return Verdict(disputed=frozenset(disputed), reason=reason)
    if not _is_average(part, {each: shown[each].encoded for each in weighed}, account):
        return Verdict(is_liar=True, reason="that is not the average")
    return Verdict()


def _believable(part: AuditedPart, account: Account) -> float:
    """Of the weight that the reducer gives itself: what it has reported, or what is usual among the others, if more.

    What a newcomer has reported in a short round may be its first batch, which a GPU's first steps delay. A crowd of
    one subnet does not say what is usual: senders count by the account's shares, which are judged for themselves.
    """
    others = [0.0 if sender == part.reducer else weight for sender, weight in enumerate(account.weights)]
    shares = shares_of_positive(others, account.shares)
    usual = median_low(others, shares) if sum(shares) > 0 else 0.0
    return max(part.reported[part.reducer], usual) if part.reported[part.reducer] > 0 else math.inf


def _is_average(part: AuditedPart, sent: Mapping[int, bytes], account: Account) -> bool:
    """Whether the part's average is that of what was sent; no reducer averages what cannot be decoded."""
    weights, shares = [account.weights[each] for each in sent], [account.shares[each] for each in sent]
    try:
        decoded = [part.decoded(each) for each in sent.values()] or [torch.zeros(part.numbers)]
        true = part.decoded(part.combine(decoded, weights or [0.0], shares or [1.0]).numpy().tobytes())
        returned = part.decoded(part.average)
    except ValueError:
        return False
    return float((returned - true).norm()) <= TOLERANCE * float(true.norm())


def _wrongly_weighed(part: AuditedPart, shown: Mapping[int, Shown], account: Account) -> set[int]:
    """To whom the account gives more weight than was claimed, or less, or a smaller share, than any rule leaves.

    A newcomer counts as a third, and of one subnet four peers count in full, see `SenderShares`; who claims
    more than it has reported counts for that, see `ClaimedWeights`. Its own, the reducer may leave out.
    """
    least_share = (1 - SLACK) * min(1.0, MAX_OF_SUBNET / part.senders) / RAMP_ROUNDS
    least, known, weights = (1 - SLACK) / CAPPED, part.known_to_all, account.weights
    return {
        sender
        for sender, each in shown.items()
        if sender != part.reducer
        and not (
            account.shares[sender] >= least_share
            and is_honest_account(weights[sender], (1 + SLACK) * each.weight, known[sender], least)
        )
    }


class AuditRecord:
    """What one auditor has found out about each peer, of a kind that can be compared between exchanges."""

    def __init__(self) -> None:
        self._disputes = RecentPeers[bytes, frozenset[bytes]]()  # with whom, as many as decide anything
        self._silences = RecentPeers[bytes, int]()

    def disputed(self, reducer: bytes, senders: Sequence[bytes]) -> frozenset[bytes]:
        """A reducer and these senders say different things; those who differ from so many that they are liars."""
        for sender in senders:
            self._add_dispute(reducer, sender)
            self._add_dispute(sender, reducer)
        return frozenset(peer for peer in (reducer, *senders) if len(self._disputes.get(peer, ())) > MOST_DISPUTES)

    def _add_dispute(self, peer: bytes, other: bytes) -> None:
        known = self._disputes.get(peer, frozenset())
        self._disputes[peer] = known if len(known) > MOST_DISPUTES else known | {other}

    def answered(self, reducer: bytes) -> None:
        """That reducer has given an account of its part."""
        self._silences.pop(reducer, None)

    def silent(self, reducer: bytes) -> bool:
        """That reducer has given no account; whether it has kept silent too often."""
        silences = self._silences[reducer] = self._silences.get(reducer, 0) + 1
        return silences > MOST_SILENCES
