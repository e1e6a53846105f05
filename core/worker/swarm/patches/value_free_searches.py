"""Search for the nodes that are to store a value without downloading what they hold already."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import Any

from hivemind.dht.node import DHTNode
from hivemind.dht.routing import DHTID
from hivemind.p2p import PeerID

NEAREST_SECONDS = 60.0  # for which the nodes nearest to a key are taken to be the same
MOST_REMEMBERED = 256  # keys

_Found = Callable[[DHTID, list[DHTID], set[DHTID]], Awaitable[None]]


@dataclass(frozen=True)
class _Nearest:
    """The nodes nearest to a key, nearest first, with their peer ids; ``at`` is when they were found, monotonic."""

    nodes: list[DHTID]
    peers: dict[DHTID, PeerID]
    at: float

    @property
    def is_fresh(self) -> bool:
        """Whether they may still be the nearest."""
        return time.monotonic() - self.at < NEAREST_SECONDS


def search_beside_keys() -> None:
    """Have hivemind's search for the nodes nearest to a key ask for the id beside it, which has the same ones.

    WORKAROUND H72: a node that is asked for its neighbours near a key also sends all that it holds under that key. So
    each report of one peer's progress makes it download everybody's, once of every node; with nine peers that was nine
    tenths of all traffic but for the averages. And it searches anew for each value that it stores.
    """
    search, remembered = DHTNode.find_nearest_nodes, dict[tuple[DHTID, DHTID], _Nearest]()  # by our node and the key

    async def find_nearest_nodes(
        self: DHTNode,
        queries: Collection[DHTID],
        *args: Any,
        found_callback: _Found | None = None,
        node_to_peer_id: dict[DHTID, PeerID] | None = None,
        **kwargs: Any,
    ) -> dict[DHTID, Any]:
        """As hivemind's; for ``store_many``, which has a ``found_callback``, nodes of a moment ago are found again."""
        key_of = {id_beside(query): query for query in queries}
        if found_callback is None:
            nearest = await search(self, tuple(key_of), *args, node_to_peer_id=node_to_peer_id, **kwargs)
            return {key_of[beside]: nodes for beside, nodes in nearest.items()}
        peers = node_to_peer_id
        assert peers is not None, "store_many gives both"

        async def found(beside: DHTID, nodes: list[DHTID], visited: set[DHTID]) -> None:
            key, known = key_of[beside], {node: peers[node] for node in nodes}
            if len(remembered) >= MOST_REMEMBERED:
                remembered.clear()
            if nodes:
                remembered[self.node_id, key] = _Nearest(nodes, known, time.monotonic())
            await found_callback(key, nodes, visited)

        for beside, key in list(key_of.items()):
            if (known := remembered.get((self.node_id, key))) is not None and known.is_fresh:
                del key_of[beside]
                peers |= known.peers
                await found_callback(key, known.nodes, set())
        if key_of:
            await search(self, tuple(key_of), *args, found_callback=found, node_to_peer_id=peers, **kwargs)
        return {}  # who gives a callback wants no more

    DHTNode.find_nearest_nodes = find_nearest_nodes


def id_beside(key_id: DHTID) -> DHTID:
    """The id whose last bit is another one: at nearly the same distance from every node."""
    return DHTID(key_id ^ 1)
