"""Reducers that members of a group cannot reach, or that answer them nothing: averages are made without them.

Who lacks a reducer's part waits for it until the exchange times out. So each member tells its next groups whom it could
not reach, and all of a group come to the same decision by what the leader has handed to everybody.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from hivemind.averaging.allreduce import AveragingMode
from hivemind.p2p import PeerID

from core.worker.swarm.aggregation.member_metadata import MemberMetadata

UNREACHED_SECONDS = 600.0  # for which a reducer that we could not reach is named to our groups
MAX_NAMED = 2  # by one member, so that a liar can name no more


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


def unreached_in(told: Any) -> frozenset[bytes]:
    """The peer ids that a member names, by what it has told its group: the second of a tuple, itself one of bytes."""
    named = told[1] if isinstance(told, tuple) and len(told) > 1 else ()
    return frozenset(each for each in named[:MAX_NAMED] if type(each) is bytes) if type(named) is tuple else frozenset()


def left_out_reducers(told: Mapping[PeerID, Any], reducers: Collection[PeerID], organiser: str) -> frozenset[PeerID]:
    """Those of a group's ``reducers`` that average nothing in it, because other members cannot reach them.

    At most half of them are left out, those that most members name, and never the ``organiser``'s peer: who lies here
    can leave the work to itself alone no more than by being the faster one. A plain hivemind peer tells nothing and
    leaves nobody out, itself included: it would go on sending parts of other sizes, and no exchange with it would
    succeed. So where one is there nobody is left out, except where most of the others, and at least two, cannot reach
    it: then its own part is what the group loses, in place of theirs.
    """
    known = {peer.to_bytes(): peer for peer in reducers}  # nobody else is looked at: anybody may name what is no peer
    votes = Counter(
        known[each] for peer, said in told.items() for each in unreached_in(said) & known.keys() - {peer.to_bytes()}
    )
    named = [peer for peer in votes if peer.to_base58() != organiser]
    named.sort(key=lambda peer: (-votes[peer], peer.to_bytes()))
    left_out = frozenset(named[: len(reducers) // 2])
    plain = {peer for peer, each in told.items() if each is None}
    most_of_the_others = max(2, (len(told) + 1) // 2)
    return left_out if all(peer in left_out and votes[peer] >= most_of_the_others for peer in plain) else frozenset()


def without_unreached_reducers(
    peers: Collection[PeerID], members: Sequence[MemberMetadata], organiser: str
) -> tuple[list[MemberMetadata], frozenset[PeerID]]:
    """What each of the ``peers`` has told the group, with no bandwidth of who is left out; and who these are."""
    of_peers = dict(zip(peers, members, strict=True))
    reducers = [peer for peer, each in of_peers.items() if each.mode == AveragingMode.NODE.value]
    left_out = left_out_reducers({peer: each.told for peer, each in of_peers.items()}, reducers, organiser)
    shares = [replace(each, bandwidth=0.0) if peer in left_out else each for peer, each in of_peers.items()]
    return shares, left_out
