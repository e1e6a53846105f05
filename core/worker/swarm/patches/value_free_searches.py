"""Search for the nodes that are to store a value without downloading what they hold already."""

from __future__ import annotations

import math
import secrets
import time
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import Any

from hivemind.dht.node import DHTNode
from hivemind.dht.routing import DHTID
from hivemind.p2p import PeerID

NEAREST_SECONDS = 300.0  # for which the nodes nearest to a key are taken to be the same, if we hear of no nearer ones
MOST_REMEMBERED = 256  # keys

_Found = Callable[[DHTID, list[DHTID], set[DHTID]], Awaitable[None]]


@dataclass(frozen=True)
class _Nearest:
    """The nodes nearest to a key, nearest first, with their peer ids; ``at`` is when they were found, monotonic.

    ``known`` are these and those that our routing table had near the key then: some of them may not have answered.
    """

    nodes: list[DHTID]
    peers: dict[DHTID, PeerID]
    known: frozenset[DHTID]
    at: float

    def is_fresh(self, node: DHTNode, key: DHTID) -> bool:
        """Whether they may still be the nearest: they answer, as far as we know, and no nearer one has come."""
        holders = self.nodes[: node.num_replicas]
        is_old = time.monotonic() - self.at >= NEAREST_SECONDS
        if is_old or any(self.peers[each] in node.blacklist for each in holders):
            return False
        farthest = key.xor_distance(holders[-1]) if len(holders) == node.num_replicas else math.inf
        new = _known_near(node, key) - self.known
        return all(key.xor_distance(each) > farthest for each in new)


class _Searches:
    """hivemind's ``search`` for the nodes nearest to some keys, by way of the ids beside them."""

    def __init__(self, search: Callable[..., Awaitable[dict[DHTID, Any]]]) -> None:
        self._search = search
        self._remembered = dict[tuple[DHTID, DHTID], _Nearest]()  # by our node and the key

    async def find(
        self,
        node: DHTNode,
        queries: Collection[DHTID],
        *args: Any,
        found_callback: _Found | None = None,
        node_to_peer_id: dict[DHTID, PeerID] | None = None,
        **kwargs: Any,
    ) -> dict[DHTID, Any]:
        """As hivemind's; for ``store_many``, which gives both of these, nodes of a moment ago are found again."""
        key_of = {id_beside(query): query for query in queries}
        if found_callback is not None and node_to_peer_id is not None:
            key_of = await self._recall(node, key_of, found_callback, node_to_peer_id)
            if not key_of:
                return {}  # who gives a callback wants no more
            kwargs["found_callback"] = self._reporting(node, key_of, found_callback, node_to_peer_id)
        nearest = await self._search(node, tuple(key_of), *args, node_to_peer_id=node_to_peer_id, **kwargs)
        return {key_of[beside]: nodes for beside, nodes in nearest.items()}

    async def _recall(
        self, node: DHTNode, key_of: dict[DHTID, DHTID], found: _Found, peers: dict[DHTID, PeerID]
    ) -> dict[DHTID, DHTID]:
        """Tell ``found`` of the keys whose nearest nodes are remembered; the others."""
        remembered = {key: self._remembered.get((node.node_id, key)) for key in key_of.values()}
        fresh = {key: each for key, each in remembered.items() if each is not None and each.is_fresh(node, key)}
        for key in fresh:
            peers |= fresh[key].peers
            await found(key, fresh[key].nodes, set())
        return {beside: key for beside, key in key_of.items() if key not in fresh}

    def _reporting(
        self, node: DHTNode, key_of: dict[DHTID, DHTID], found: _Found, peers: dict[DHTID, PeerID]
    ) -> _Found:
        """What tells ``found`` of a key's nearest nodes, and remembers them."""

        async def report(beside: DHTID, nodes: list[DHTID], visited: set[DHTID]) -> None:
            key = key_of[beside]
            if len(self._remembered) >= MOST_REMEMBERED:
                self._remembered.clear()
            if nodes:
                peers_of_nodes, known = {each: peers[each] for each in nodes}, _known_near(node, key).union(nodes)
                self._remembered[node.node_id, key] = _Nearest(nodes, peers_of_nodes, known, time.monotonic())
            await found(key, nodes, visited)

        return report


def search_beside_keys() -> None:
    """Have hivemind's search for the nodes nearest to a key ask for an id beside it, which has the same ones.

    WORKAROUND H72: a node that is asked for its neighbours near a key also sends all that it holds under that key. So
    each report of one peer's progress makes it download everybody's, once of every node; with nine peers that was nine
    tenths of all traffic but for the averages. And it searches anew for each value that it stores.
    """
    searches = _Searches(DHTNode.find_nearest_nodes)

    async def find_nearest_nodes(self: DHTNode, queries: Collection[DHTID], *args: Any, **kwargs: Any) -> Any:
        return await searches.find(self, queries, *args, **kwargs)

    DHTNode.find_nearest_nodes = find_nearest_nodes


def _known_near(node: DHTNode, key: DHTID) -> frozenset[DHTID]:
    """As many of our routing table as a search begins with."""
    near = node.protocol.routing_table.get_nearest_neighbors(key, node.protocol.bucket_size, exclude=node.node_id)
    return frozenset(uid for uid, _ in near)


def id_beside(key_id: DHTID) -> DHTID:
    """An id that has the same nearest nodes, and that nobody can guess, so that nothing is stored under it."""
    return DHTID(int(key_id) ^ secrets.randbits(64))
