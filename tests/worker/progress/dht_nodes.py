"""Real DHT nodes on loopback, and what their searches bring."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from hivemind import DHT
from hivemind.dht import DHTNode
from hivemind.dht.routing import DHTID


@contextlib.contextmanager
def dht_nodes(number: int) -> Iterator[list[DHT]]:
    """So many nodes, each of which can be reached, in one DHT."""
    with contextlib.ExitStack() as stack:
        nodes = list[DHT]()
        for _ in range(number):
            addresses = nodes[0].get_visible_maddrs() if nodes else ()
            nodes.append(DHT(initial_peers=addresses, host_maddrs=["/ip4/127.0.0.1/tcp/0"], start=True))
            stack.callback(nodes[-1].shutdown)
        yield nodes


async def count_answers(_dht: DHT, node: DHTNode) -> None:
    """From now on, count the answers to what that node asks: all of them, and those that bring a value."""
    find, counts = node.protocol.call_find, {"all": 0, "with a value": 0}

    async def counted(peer: Any, keys: Any) -> Any:
        answer = await find(peer, keys)
        counts["all"] += 1
        counts["with a value"] += any(value is not None for value, _ in (answer or {}).values())
        return answer

    node.protocol.call_find, node.answer_counts = counted, counts


async def answers(_dht: DHT, node: DHTNode) -> dict[str, int]:
    """What `count_answers` has counted."""
    return dict(node.answer_counts)


async def forget_key(_dht: DHT, node: DHTNode, key: str) -> None:
    """Drop whatever the node holds under that key."""
    del node.protocol.storage[DHTID.generate(source=key)]
