"""What the members of a group tell each other, and what all of them conclude from it.

Each member has its own view of an exchange: one has seen a sender vanish, and another, to whom nobody sends, has not;
one has heard of a newcomer already. A decision on the base weights must be the same for all, so it is made of nothing
but what the leader of the group has handed to every member.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from hivemind.p2p import PeerID

from core.schema import StrictStruct
from core.worker.swarm.local_sgd.outer_optimizer import Version

UNREACHED_SECONDS = 600.0  # for which a reducer that we could not reach is named to our groups
MAX_NAMED = 2  # by one member, so that a liar can name no more


class Told(StrictStruct, frozen=True):
    """What a member tells its group when it begins to look for one.

    The ``epoch`` of the round, the version of its base weights, whether it shares them, how many ``peers`` the
    swarm has as far as it knows, and the reducers that it could not reach lately (``unreached``, peer ids).
    """

    epoch: int
    steps: int
    root: bytes
    is_shared: bool
    peers: int
    unreached: tuple[bytes, ...] = ()

    @property
    def version(self) -> Version:
        """That of its base weights."""
        return self.steps, self.root

    def packed(self) -> tuple[int, int, bytes, bool, int, tuple[bytes, ...]]:
        """As it is sent: matchmaking reads the epoch, which must come first."""
        return self.epoch, self.steps, self.root, self.is_shared, self.peers, self.unreached


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


def left_out_reducers(told: Mapping[PeerID, Any], reducers: Collection[PeerID], organiser: str) -> frozenset[PeerID]:
    """Those of a group's ``reducers`` that average nothing in it, because other members cannot reach them.

    A member that cannot reach one of them would lack a part of every average. At most half of them are left out, those
    that most members name, and never the ``organiser``'s peer: who lies here can leave the work to itself alone no more
    than by being the faster one.
    """
    known = {peer: Told(*each) for peer, each in told.items() if _is_told(each)}
    votes = Counter(
        PeerID(named) for peer, each in known.items() for named in {*each.unreached[:MAX_NAMED]} - {peer.to_bytes()}
    )
    named = [peer for peer in votes if peer in reducers and peer.to_base58() != organiser]
    named.sort(key=lambda peer: (-votes[peer], peer.to_bytes()))
    return frozenset(named[: len(reducers) // 2])


class UnreachedReducers:
    """Those that we could not reach, for `UNREACHED_SECONDS` each; ``clock`` is monotonic."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._until = clock, dict[bytes, float]()

    def add(self, peers: Iterable[PeerID]) -> None:
        """An exchange has found these out."""
        self._until |= {peer.to_bytes(): self._clock() + UNREACHED_SECONDS for peer in peers}

    def named(self) -> tuple[bytes, ...]:
        """Whom we name to the next group: the last of them."""
        self._until = {peer: until for peer, until in self._until.items() if until > self._clock()}
        return tuple(sorted(self._until, key=self._until.__getitem__)[-MAX_NAMED:])


def _is_told(told: Any) -> bool:
    if not isinstance(told, tuple) or list(map(type, told)) != [int, int, bytes, bool, int, tuple]:
        return False
    return all(type(each) is bytes for each in told[-1])
