"""Whoever hears nothing asks one peer whether it is there, and all, and for others, where somebody had failed (H31)."""

from __future__ import annotations

from functools import partial

import pytest
from hivemind import DHT
from hivemind.dht.node import DHTNode
from hivemind.p2p import PeerID

from core.worker.swarm.dht.peer_connections import ping_peers
from tests.worker.progress.dht_nodes import count_requests, dht_nodes, requests


async def _lose(_dht: DHT, node: DHTNode, lost: PeerID) -> None:
    """It has not answered, and hivemind drops it."""
    node.blacklist.register_failure(lost)
    table = node.protocol.routing_table
    await node.protocol.update_routing_table(table.get(peer_id=lost), lost, responded=False)


async def _known(_dht: DHT, node: DHTNode) -> set[PeerID]:
    return set(node.protocol.routing_table.peer_id_to_uid)


@pytest.mark.real
def test_one_answer_will_do_where_nobody_had_failed_and_who_had_is_known_again_after_a_ping() -> None:
    with dht_nodes(4) as nodes:
        last, others = nodes[-1], {node.peer_id for node in nodes[:-1]}
        addresses = [str(address) for node in nodes[:-1] for address in node.get_visible_maddrs()]
        assert last.run_coroutine(_known) == others
        last.run_coroutine(count_requests)
        assert ping_peers(last, addresses)
        assert last.run_coroutine(requests) == 1
        for lost in others:
            last.run_coroutine(partial(_lose, lost=lost))
        assert last.run_coroutine(_known) == set()
        assert ping_peers(last, addresses[:1])
        assert last.run_coroutine(_known) == others


@pytest.mark.real
def test_where_nobody_is_there_nobody_answers() -> None:
    with dht_nodes(1) as [alone]:
        assert not ping_peers(alone, ()) and not ping_peers(alone, [f"/ip4/127.0.0.1/tcp/9/p2p/{alone.peer_id}"])
