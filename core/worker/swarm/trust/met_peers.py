"""Which peers count when a group decides whether it is most of the swarm: a report costs nothing, and an exchange does.

Anybody may report progress under any number of keys, and in any peer's name. Where all of them counted for ever, a
crowd that is not there would keep every group of local SGD from a quorum, and so from its steps (a Sybil attack:
Douceur, *The Sybil Attack*, 2002).
"""

from __future__ import annotations

from collections.abc import Collection

from hivemind.p2p import PeerID

PATIENCE_ROUNDS = 3  # without a quorum, in a row, in which whoever is there would have been met
REMEMBERED_ROUNDS = 50


class MetPeers:
    """The peers that were in our groups in the last rounds.

    Who reports progress counts at once, so that a group of newcomers and one of others do not both step. After some
    rounds in a row that lacked nothing but a quorum, only those count that we have met, until nobody else reports.
    """

    def __init__(self) -> None:
        self._round = self._lacking = 0
        self._met: dict[PeerID, int] = {}  # in which round the last time

    def see(self, group: Collection[PeerID], *, lacks_quorum: bool) -> None:
        """A group has exchanged what its members have changed, and made a step unless it ``lacks_quorum``."""
        self._round += 1
        self._met |= dict.fromkeys(group, self._round)
        self._met = {peer: at for peer, at in self._met.items() if self._round - at < REMEMBERED_ROUNDS}
        if lacks_quorum or self._lacking < PATIENCE_ROUNDS:
            self._lacking = self._lacking + 1 if lacks_quorum else 0

    def count(self, reported: Collection[PeerID]) -> int:
        """How many of these, of whom we are one, are peers of the swarm; each once."""
        there = set(reported)
        met = there & self._met.keys()
        if self._lacking < PATIENCE_ROUNDS:
            return len(there)
        if len(met) == len(there):
            self._lacking = 0
        return len(met)
