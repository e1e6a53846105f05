"""What the members of a group tell each other, and what all of them conclude from it.

Each member has its own view of an exchange: one has seen a sender vanish, and another, to whom nobody sends, has not;
one has heard of a newcomer already. A decision on the base weights must be the same for all, so it is made of nothing
but what the leader of the group has handed to every member.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from core.schema import StrictStruct
from core.worker.swarm.local_sgd.outer_optimizer import Version


class Told(StrictStruct, frozen=True):
    """What a member tells its group when it begins to look for one.

    The ``epoch`` of the round, the version of its base weights, whether it shares them, and how many ``peers`` the
    swarm has as far as it knows.
    """

    epoch: int
    steps: int
    root: bytes
    is_shared: bool
    peers: int

    @property
    def version(self) -> Version:
        """That of its base weights."""
        return self.steps, self.root

    def packed(self) -> tuple[int, int, bytes, bool, int]:
        """As it is sent: matchmaking reads the epoch, which must come first."""
        return self.epoch, self.steps, self.root, self.is_shared, self.peers


class GroupAgreement:
    """What a group agrees on; ``told`` is what each of its members has told, of whom anybody may tell anything.

    ``told_by_organiser`` is what the run's organiser has told, where it is one of them.
    """

    def __init__(self, told: Iterable[Any], told_by_organiser: Any = None) -> None:
        self._members = [Told(*each) for each in told if _is_told(each)]
        self._organiser = Told(*told_by_organiser) if _is_told(told_by_organiser) else None

    @property
    def size(self) -> int:
        """How many members the group had when the exchange began, those included that were lost in it."""
        return len(self._members)

    @property
    def peers(self) -> int:
        """How many peers the swarm has: the median of what the members know, and the larger of two."""
        known = sorted(each.peers for each in self._members)
        return known[len(known) // 2] if known else 0

    @property
    def is_majority(self) -> bool:
        """Whether the group is more than half of the swarm, so that no other group can be."""
        return is_majority(self.size, self.peers)

    @property
    def version(self) -> Version | None:
        """That of most members among those that share theirs, if any does; of as many, the organiser's."""
        shared = Counter(each.version for each in self._members if each.is_shared)
        organisers = self._organiser.version if self._organiser is not None else None
        return min(shared, key=lambda each: (-shared[each], each != organisers, -each[0], each[1]), default=None)


def is_majority(group: int, peers: int) -> bool:
    """Whether a group is more than half of the swarm, so that no other group can be."""
    return 2 * group > peers


def _is_told(told: Any) -> bool:
    return isinstance(told, tuple) and list(map(type, told)) == [int, int, bytes, bool, int]
