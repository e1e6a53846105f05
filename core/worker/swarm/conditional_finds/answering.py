"""Answer conditional finds, in the DHT process of a peer that others can reach."""

from __future__ import annotations

import functools

from hivemind.dht.protocol import DHTProtocol
from hivemind.dht.routing import DHTID
from hivemind.p2p import P2PContext
from hivemind.proto import dht_pb2

from core.worker.swarm.conditional_finds.messages import Known, attach, attached, records_in

MOST_KEYS = 16  # of one conditional request


def answer_conditional_finds() -> None:
    """Have hivemind's ``DHTProtocol`` answer conditional finds as such, and all others as before.

    WORKAROUND H77: whoever looks at a key again is sent all that was there the last time, and twenty neighbours.
    """
    find = DHTProtocol.rpc_find

    @functools.wraps(find)
    async def rpc_find(self: DHTProtocol, request: dht_pb2.FindRequest, context: P2PContext) -> dht_pb2.FindResponse:
        known = _conditions(request)
        if not known:
            return await find(self, request, context)
        response = await find(self, dht_pb2.FindRequest(peer=request.peer), context)  # who asks is met as ever
        response.results.extend(dht_pb2.FindResult() for _ in known)
        attach(response, (_answer(self, key, each) for key, each in zip(request.keys, known, strict=True)))
        return response

    DHTProtocol.rpc_find = rpc_find


def _conditions(request: dht_pb2.FindRequest) -> list[Known]:
    """What the sender knows of each key; nothing where it asks as plain hivemind peers do, or nonsense."""
    told = attached(request)
    if len(told) != len(request.keys) or len(told) > MOST_KEYS:
        return []
    try:
        return [Known.parse(each) for each in told]
    except ValueError:
        return []


def _answer(protocol: DHTProtocol, key: bytes, known: Known) -> bytes:
    """What we answer about that key: of the stored value only, as there is no cache (H25)."""
    item = protocol.storage.get(DHTID.from_bytes(key))
    return known.answer(records_in(item.value) if item is not None else ())
