"""The one list of peers with which an averager averages nothing: blocked by the organiser, or caught in a lie."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterable

from hivemind.p2p import PeerID

DISTRUSTED_SECONDS = 3600.0  # after a lie, or a group that could average nothing
MAX_REMEMBERED = 256  # peers; whoever makes itself a new id for each lie fills no memory


class ShunnedPeers:
    """Whom matchmaking lets into no group, and whose parts an exchange does not use; ``clock`` is monotonic.

    The ``blocked`` are those of the organiser's block list at present; who is distrusted is so for an hour.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.blocked: frozenset[PeerID] = frozenset()
        self._clock, self._distrusted = clock, OrderedDict[PeerID, float]()  # until that time

    def distrust(self, peers: Iterable[PeerID]) -> None:
        """These peers have lied to us, or told their group what nobody can use."""
        until = self._clock() + DISTRUSTED_SECONDS
        for peer in peers:
            self._distrusted[peer] = until
            self._distrusted.move_to_end(peer)
        while len(self._distrusted) > MAX_REMEMBERED:
            self._distrusted.popitem(last=False)

    def __contains__(self, peer: PeerID) -> bool:
        return peer in self.blocked or self._distrusted.get(peer, -1.0) > self._clock()

    def now(self) -> frozenset[PeerID]:
        """All who are blocked or distrusted at the moment."""
        return self.blocked | {peer for peer in self._distrusted if peer in self}
