"""Search for the nodes that are to store a value without downloading what they hold already."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from typing import Any

from hivemind.dht.node import DHTNode
from hivemind.dht.routing import DHTID

_Found = Callable[..., Awaitable[None]]


def search_beside_keys() -> None:
    """Have hivemind's search for the nodes nearest to a key ask for the id beside it, which has the same ones.

    WORKAROUND H72: a node that is asked for its neighbours near a key also sends all that it holds under that key. So
    each report of one peer's progress makes it download everybody's, once of every node; with nine peers that was nine
    tenths of all traffic but for the averages.
    """
    search = DHTNode.find_nearest_nodes

    async def find_nearest_nodes(
        self: DHTNode,
        queries: Collection[DHTID],
        *args: Any,
        found_callback: _Found | None = None,
        **kwargs: Any,
    ) -> dict[DHTID, Any]:
        key_of = {id_beside(query): query for query in queries}

        async def found(beside: DHTID, *details: Any) -> None:
            if found_callback is not None:
                await found_callback(key_of[beside], *details)

        nearest = await search(self, tuple(key_of), *args, found_callback=found, **kwargs)
        return {key_of[beside]: nodes for beside, nodes in nearest.items()}

    DHTNode.find_nearest_nodes = find_nearest_nodes


def id_beside(key_id: DHTID) -> DHTID:
    """The id whose last bit is another one: at nearly the same distance from every node."""
    return DHTID(key_id ^ 1)
