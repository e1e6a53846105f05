"""Ask a holder what it holds under a key, and tell it what is known of that already."""

from __future__ import annotations

import secrets
from collections.abc import Iterable

from hivemind.dht import DHTNode
from hivemind.dht.routing import DHTID
from hivemind.p2p import PeerID
from hivemind.proto import dht_pb2
from hivemind.utils import MSGPackSerializer

from core.worker.swarm.conditional_finds.messages import (
    MOST_KNOWN,
    SALT_BYTES,
    Known,
    Record,
    attach,
    attached,
    read_answer,
    records_in,
)


async def ask_holder(node: DHTNode, peer: PeerID, key_id: DHTID, known: Iterable[Record] = ()) -> list[Record]:
    """The records of the dictionary that the peer holds under the key, unverified: the ``known`` ones, and others.

    It sends the others alone where it knows of conditional finds, and all where it is a plain hivemind peer. That it
    holds a known one is its word, as if it had sent it; who asks tells none that has expired. The peer is in our
    routing table from then on, as with hivemind's own requests: else one that had been away would stay unknown to
    hivemind's ``get``, see `ping_peers`. Raises ValueError for an answer that is none, and whatever a call raises.
    """
    told = list(dict.fromkeys(known))[:MOST_KNOWN]
    request = dht_pb2.FindRequest(keys=[key_id.to_bytes()], peer=node.protocol.node_info)
    attach(request, [Known.of(told, secrets.token_bytes(SALT_BYTES)).encode()])
    response = await node.protocol.get_stub(peer).rpc_find(request, timeout=node.protocol.wait_timeout)
    if response.peer.node_id:
        await node.protocol.update_routing_table(DHTID.from_bytes(response.peer.node_id), peer)
        node.blacklist.register_success(peer)
    if len(response.results) != 1:
        raise ValueError("one key was asked for")
    answers = attached(response)
    if answers:
        return read_answer(answers[0], told)
    [result] = response.results
    is_dictionary = result.type == dht_pb2.FOUND_DICTIONARY
    return records_in(MSGPackSerializer.loads(result.value)) if is_dictionary else []
