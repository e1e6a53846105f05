"""The shunned, with whom a peer has nothing to do: who is barred from the run, and who was caught in a lie."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from hivemind.p2p import PeerID

from core.worker.swarm.aggregation.recent_peers import RecentPeers

DISTRUSTED_SECONDS = 3600.0  # after a lie, or a group that could average nothing
MAX_REMEMBERED = 256  # peers; whoever makes itself a new id for each lie fills no memory


@dataclass(frozen=True)
class BarredPeers:
    """Whom the word of organiser and signers keeps out: the ``barred``, in a closed run also who is not ``admitted``.

    Of each who is admitted it has the `key_hash` of the key that signs its reports; an open run has ``None``.
    """

    barred: frozenset[PeerID] = frozenset()
    admitted: Mapping[PeerID, bytes] | None = None

    def __contains__(self, peer: object) -> bool:
        return peer in self.barred or (self.admitted is not None and peer not in self.admitted)


NOBODY_BARRED = BarredPeers()


class ShunnedPeers:
    """Whom matchmaking lets into no group, and whose parts an exchange does not use; ``clock`` is monotonic.

    The ``barred`` are kept out by the word of organiser and signers, and those who are distrusted for an hour.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.barred = NOBODY_BARRED
        self._clock, self._distrusted = clock, RecentPeers[PeerID, float](MAX_REMEMBERED)  # until that time

    def distrust(self, peers: Iterable[PeerID]) -> None:
        """These peers have lied to us, or told their group what nobody can use."""
        until = self._clock() + DISTRUSTED_SECONDS
        for peer in peers:
            self._distrusted[peer] = until

    def __contains__(self, peer: PeerID) -> bool:
        return peer in self.barred or self._distrusted.get(peer, -1.0) > self._clock()

    def among(self, peers: Collection[PeerID]) -> frozenset[PeerID]:
        """Those of these peers who are barred or distrusted at the moment."""
        return frozenset(peer for peer in peers if peer in self)

    def strangers_among(self, peers: Collection[PeerID]) -> frozenset[PeerID]:
        """Those of these peers who have no ticket of a closed run; nobody in an open one."""
        admitted = self.barred.admitted
        return frozenset() if admitted is None else frozenset(peers) - admitted.keys()
