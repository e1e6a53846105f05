"""The exchange of one group in one round: who sends how much to whom, and how long it takes.

hivemind's all-reduce (``hivemind/averaging/allreduce.py``): each reachable member averages a part as large as its share
of their bandwidths; everybody sends it that part, and receives the average.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from core.run.spec.collaboration import Mode
from tests.scale.world import Volunteer

_BITS = 8


@dataclass(frozen=True)
class Exchange:
    """An exchange of ``part_bytes`` a member: each member's share of the averaging, and the seconds that it takes.

    Two members send each other the same: the parts that each averages for the other, and the averages of them.
    """

    part_bytes: float
    shares: tuple[float, ...]
    seconds: tuple[float, ...]

    def flow(self, one: int, other: int) -> float:
        """Bytes from one member to the other in a whole exchange."""
        return self.part_bytes * (self.shares[one] + self.shares[other])

    def moved(self, member: int) -> float:
        """Bytes that a member sends, and receives, in a whole exchange: the sum of its flows."""
        share, others = self.shares[member], len(self.shares) - 1
        return self.part_bytes * (1 - share + share * others)


def exchange(members: Sequence[Volunteer], part_bytes: float, mode: Mode) -> Exchange | None:
    """The exchange of a group; ``None`` where nobody can be reached, so that nothing is averaged."""
    shares = _shares(members)
    if shares is None:
        return None
    planned = Exchange(part_bytes, tuple(shares), ())
    seconds = [
        _seconds(member, planned.moved(number), share, mode)
        for number, (member, share) in enumerate(zip(members, shares, strict=True))
    ]
    slowest_reducer = max(each for each, share in zip(seconds, shares, strict=True) if share)
    return Exchange(part_bytes, tuple(shares), tuple(max(each, slowest_reducer) for each in seconds))


def _shares(members: Sequence[Volunteer]) -> list[float] | None:
    bandwidths = [member.upload if member.is_reachable else 0.0 for member in members]
    whole = sum(bandwidths)
    if whole == 0:
        return None
    if math.isinf(whole):
        fastest = sum(map(math.isinf, bandwidths))
        return [1 / fastest if math.isinf(each) else 0.0 for each in bandwidths]
    return [each / whole for each in bandwidths]


def _seconds(member: Volunteer, moved_bytes: float, share: float, mode: Mode) -> float:
    """With gradients whoever cannot be reached first sends all, then receives, as core/run/round_estimate.py has it."""
    up, down = moved_bytes * _BITS / member.upload, moved_bytes * _BITS / member.download
    return up + down if mode == "gradients" and not share else max(up, down)
