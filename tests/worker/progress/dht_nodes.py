"""Real DHT nodes on loopback, and what their searches bring."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hivemind import DHT
from hivemind.dht import DHTNode
from hivemind.dht.protocol import DHTProtocol
from hivemind.dht.routing import DHTID
from hivemind.p2p import PeerID

from core.worker.swarm.conditional_finds.answering import answer_conditional_finds
from core.worker.swarm.conditional_finds.messages import attached

ANSWER_SECONDS = 8.0  # that each waits for another one, which stands still at times on a computer that does much else


def answer_conditionally(patch: pytest.MonkeyPatch) -> None:
    """From here on, until the patch is undone, nodes that are made answer as ours do, not as plain hivemind nodes."""
    patch.setattr(DHTProtocol, "rpc_find", DHTProtocol.rpc_find)
    answer_conditional_finds()


def patient_node(initial_peers: Sequence[Any] = (), **options: Any) -> DHT:
    """A node on loopback, in the DHT of those peers or in one of its own; shut it down."""
    here = ["/ip4/127.0.0.1/tcp/0"]
    return DHT(initial_peers=initial_peers, host_maddrs=here, wait_timeout=ANSWER_SECONDS, start=True, **options)


@contextlib.contextmanager
def dht_nodes(number: int) -> Iterator[list[DHT]]:
    """So many nodes, each of which can be reached, in one DHT."""
    with contextlib.ExitStack() as stack:
        nodes = list[DHT]()
        for _ in range(number):
            addresses = nodes[0].get_visible_maddrs() if nodes else ()
            nodes.append(patient_node(addresses))
            stack.callback(nodes[-1].shutdown)
        yield nodes


async def count_answers(_dht: DHT, node: DHTNode) -> None:
    """From now on, count the answers to what that node looks for: all of them, and those that bring a value."""
    stub_of, counts = node.protocol.get_stub, {"all": 0, "with a value": 0, "bytes": 0}

    class Counted:
        def __init__(self, peer: PeerID) -> None:
            self.stub = stub_of(peer)

        def __getattr__(self, name: str) -> Any:
            return getattr(self.stub, name)

        async def rpc_find(self, request: Any, **options: Any) -> Any:
            answer = await self.stub.rpc_find(request, **options)
            counts["all"] += 1
            counts["with a value"] += any(each.value for each in answer.results) or any(attached(answer))
            counts["bytes"] += request.ByteSize() + answer.ByteSize()
            return answer

    node.protocol.get_stub, node.answer_counts = Counted, counts


async def answers(_dht: DHT, node: DHTNode) -> dict[str, int]:
    """What `count_answers` has counted."""
    return dict(node.answer_counts)


async def forget_key(_dht: DHT, node: DHTNode, key: str) -> None:
    """Drop whatever the node holds under that key."""
    del node.protocol.storage[DHTID.generate(source=key)]


async def count_requests(_dht: DHT, node: DHTNode) -> None:
    """From now on, count whom that node is about to ask anything."""
    ask, node.requests_counted = node.protocol.get_stub, 0

    def counted(peer: PeerID) -> object:
        node.requests_counted += 1
        return ask(peer)

    node.protocol.get_stub = counted


async def requests(_dht: DHT, node: DHTNode) -> int:
    """What `count_requests` has counted."""
    return int(node.requests_counted)
