"""What the members of a group tell each other, and what all of them conclude from it.

Each member has its own view of an exchange: one has seen a sender vanish, and another, to whom nobody sends, has not;
one has heard of a newcomer already. A decision on the base weights must be the same for all, so it is made of nothing
but what the leader of the group has handed to every member.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, get_origin

import msgspec
from hivemind.p2p import PeerID

from core.localizable import LocalizedText, localized
from core.schema import StrictStruct, fields_of
from core.worker.swarm.state_parts.messages import Version

_CATCHES_UP = localized("this computer catches up with a peer that is ahead")
_MUST_CATCH_UP = localized("this computer's weights are not those of the others, whose weights it gets now")


class Told(StrictStruct, frozen=True):
    """What a member tells its group when it begins to look for one.

    The ``epoch`` of the round, the reducers that it could not reach lately (``unreached``, peer ids), the version of
    its base weights, whether it shares them, and how many ``peers`` the swarm has as far as it knows. It is not sure of
    its base weights where others may have taken a step from them without it.

    The fields are sent in this order: matchmaking reads the first, and `unreached_in` the second.
    """

    epoch: int
    unreached: tuple[bytes, ...]
    steps: int
    root: bytes
    is_shared: bool
    peers: int
    is_sure: bool = True

    @classmethod
    def read(cls, packed: Any) -> Told | None:
        """What a member has packed; ``None`` for anything else."""
        if not isinstance(packed, tuple) or [type(each) for each in packed] != _types_of_fields():
            return None
        told = cls(*packed)
        return told if all(type(each) is bytes for each in told.unreached) else None

    @property
    def version(self) -> Version:
        """The version of its base weights."""
        return self.steps, self.root

    def packed(self) -> tuple[Any, ...]:
        """As it is sent, for `read` to read."""
        return msgspec.structs.astuple(self)


@functools.cache
def _types_of_fields() -> list[type]:
    """The type of each field of what is told, without that of its elements."""
    return [get_origin(each.type) or each.type for each in fields_of(Told)]


class GroupAgreement:
    """What a group agrees on; ``told`` is what each of its members has told, of whom anybody may tell anything.

    ``told_by_organiser`` is what the run's organiser has told, where it is one of them.
    """

    def __init__(self, told: Iterable[Any], told_by_organiser: Any = None) -> None:
        self._members = [member for member in map(Told.read, told) if member is not None]
        self._organiser = Told.read(told_by_organiser)

    @classmethod
    def of(cls, everybody: Mapping[PeerID, Any], organiser: str) -> GroupAgreement:
        """What a group agrees on of which ``everybody`` has told something; ``organiser`` is a peer id."""
        told = {peer.to_base58(): each for peer, each in everybody.items()}
        return cls(told.values(), told.get(organiser))

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
    def has_quorum(self) -> bool:
        """Whether its members with the right base weights can take the step that no other group takes."""
        return self.version is not None and is_quorum(*self._holders_and_others())

    def _holders_and_others(self) -> tuple[int, int, int]:
        """How many members hold the right base weights, sure and unsure ones, and how many others may have stepped."""
        right = self.version
        assert right is not None
        holders = Counter(each.is_sure for each in self._members if each.version == right)
        ahead = Counter(each.is_shared for each in self._members if each.steps > right[0])
        others = self.peers - self.size + ahead[True]
        return holders[True], holders[False], others + ahead[False] if others > 0 else others

    def may_step(self, ours: Version, *, is_whole: bool) -> bool:
        """Whether a member with our version takes the step; the average that it has is whole, or lacks some parts."""
        return is_whole and ours == self.version and self.has_quorum

    def lacks_quorum(self, ours: Version, *, is_whole: bool) -> bool:
        """Whether a member with the right version, or ahead of it, waits for nothing but a quorum."""
        right = self.version
        is_counted = right is not None and (ours == right or ours[0] > right[0])
        return is_whole and is_counted and not self.has_quorum

    def must_repair(self, ours: Version, *, is_whole: bool) -> bool:
        """Whether a member that does not step has to look for the outcome of the step from the right base weights.

        Who has the right ones has to where somebody is ahead of them, and has the group without a quorum. Who is ahead
        goes back only with a quorum.
        """
        right = self.version
        if right is None or (ours == right and not is_whole):
            return not is_whole
        if ours == right:
            return any(each.is_shared and each.steps > right[0] for each in self._members)
        return ours[0] <= right[0] or self.has_quorum

    def step_error(self, ours: Version, *, is_whole: bool) -> LocalizedText:
        """Why a member with our version takes no step, in words, and what follows; empty where it takes the step."""
        right, must_repair = self.version, self.must_repair(ours, is_whole=is_whole)
        if self.may_step(ours, is_whole=is_whole):
            return LocalizedText()
        if right is None:
            return localized("no peer of the group can share its weights, as one has to")
        if ours == right and not is_whole:
            return localized("a part of the average was lost; this computer asks the others for the outcome")
        if ours != right:
            return _MUST_CATCH_UP if must_repair else localized("the others of the group are behind this computer")
        sure, unsure, others = self._holders_and_others()
        then = _CATCHES_UP if must_repair else localized("what was learned is kept for the next round")
        return localized(
            "only %1 of %2 peers took part with the latest weights, and a step takes more than half; %3",
            sure,
            sure + unsure + others,
            then,
        )

    @property
    def version(self) -> Version | None:
        """The right version of the base weights: that of most members that share theirs, or ``None`` if nobody does.

        Of two that as many have, it is the organiser's. Members that are not sure of theirs are asked only where nobody
        else shares any.
        """
        sharing = [each for each in self._members if each.is_shared]
        asked = [each for each in sharing if each.is_sure] or sharing
        shared = Counter(each.version for each in asked)
        organisers = self._organiser.version if self._organiser in asked else None
        return min(shared, key=lambda each: (-shared[each], each != organisers, -each[0], each[1]), default=None)


def is_quorum(sure: int, unsure: int, others: int) -> bool:
    """Whether the holders of base weights in a group may step: whether nobody has taken, or takes, another step there.

    Some of them are ``sure`` that nobody has, and some ``unsure``, as they were in an exchange that failed, or came too
    late for one. The ``others`` are all peers that are not in the group, and those in it that are ahead: not those with
    wrong base weights, each of which looks for the outcome of this very step from now on. Two quorums that step from
    the same base weights would have a member in common, which has stepped, or is unsure (Gifford, *Weighted voting for
    replicated data*, 1979). Without any others nobody can have stepped; or those who have share nothing, as the one
    that did is gone, and must go back.

    That is promised to groups that know of at least as many peers as there are with these base weights, the median of
    what their members know, and as long as who may have missed a step reaches one that has taken it before `Repair`
    gives up its doubt. Whoever has waited some rounds for peers that it has never met counts fewer (`MetPeers`). Nor is
    it promised where a member of a group never hears that its leader has begun: it stays sure, and could step with
    others while those who have stepped with the leader are out of reach.

    A group that is more than half of the swarm may have no quorum: three peers, of which two form a group while one of
    them is still behind, would part for good.
    """
    return sure > others + unsure if others > 0 else sure + unsure > 0
