"""Which peers count when a group decides whether it is most of the swarm: a report costs nothing, and an exchange does.

Anybody may report progress under any number of keys, and in any peer's name. Where all of them counted for ever, a
crowd that is not there would keep every group of local SGD from a quorum, and so from its steps (a Sybil attack:
Douceur, *The Sybil Attack*, 2002).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Set

from hivemind.p2p import PeerID

PATIENCE_ROUNDS = 3  # without a quorum, in a row, in which whoever is there would have been met
REMEMBERED_ROUNDS = 50


class MetPeers:
    """The peers that were in our groups in the last rounds, of those who have ``reported``, of whom we are one.

    Who reports progress counts at once, so that a group of newcomers and one of others do not both step. After some
    rounds in a row that lacked nothing but a quorum, only those count that we have met, until a round ends in which
    nobody else reports.
    """

    def __init__(self, reported: Callable[[], Set[PeerID]]) -> None:
        self._reported = reported
        self._round = self._lacking = 0
        self._met: dict[PeerID, int] = {}  # in which round the last time

    def end_round(self, group: Collection[PeerID], *, lacks_quorum: bool) -> None:
        """A group has exchanged what its members have changed, and made a step unless it ``lacks_quorum``."""
        self._round += 1
        self._met |= dict.fromkeys(group, self._round)
        self._met = {peer: at for peer, at in self._met.items() if self._round - at < REMEMBERED_ROUNDS}
        if self._reported() <= self._met.keys():
            self._lacking = 0
        elif lacks_quorum or self._lacking < PATIENCE_ROUNDS:
            self._lacking = self._lacking + 1 if lacks_quorum else 0

    def count(self) -> int:
        """How many peers the swarm has."""
        there = self._reported()
        return len(there & self._met.keys() if self._lacking >= PATIENCE_ROUNDS else there)
