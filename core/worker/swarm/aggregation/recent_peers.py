"""What is remembered of peers: identities cost nothing, so that whoever makes itself new ones must fill no memory."""

from __future__ import annotations

from collections import OrderedDict
from typing import TypeVar

MOST_PEERS = 10_000

Peer = TypeVar("Peer")
Known = TypeVar("Known")


class RecentPeers(OrderedDict[Peer, Known]):
    """What is known of each peer, of so many at the ``most`` of which something was set last."""

    def __init__(self, most: int = MOST_PEERS) -> None:
        super().__init__()
        self._most = most

    def __setitem__(self, peer: Peer, known: Known) -> None:
        super().__setitem__(peer, known)
        self.move_to_end(peer)
        while len(self) > self._most:
            self.popitem(last=False)
