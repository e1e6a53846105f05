"""What a holder stores in the name of another peer than the one that asks: nothing that nobody has signed (H86)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from hivemind.dht.protocol import DHTProtocol
from hivemind.dht.routing import DHTID
from hivemind.dht.storage import DictionaryDHTValue
from hivemind.p2p import PeerID
from hivemind.proto import dht_pb2
from hivemind.utils import MSGPackSerializer

from core.worker.swarm.dht.bounded_storage import BoundedStorage
from core.worker.swarm.patches.delta_stores import store_in_deltas

KEY = DHTID.generate(source="sums_grad_averager.0b")
ADA, STRANGER = (PeerID(b"\x00\x24\x08\x01\x12\x20" + bytes([number] * 32)) for number in range(2))
LOOKING, NOT_LOOKING = MSGPackSerializer.dumps(True), MSGPackSerializer.dumps(False)


@pytest.fixture
def holder(monkeypatch: pytest.MonkeyPatch) -> Iterator[DHTProtocol]:
    """A peer that stores for others, as a worker's does; nobody can reach it."""
    for name in ("get_stub", "rpc_store"):
        monkeypatch.setattr(DHTProtocol, name, getattr(DHTProtocol, name))  # as it was, once the test is over
    store_in_deltas()
    protocol = DHTProtocol(_initialized_with_create=True)
    protocol.storage, protocol.record_validator, protocol.node_info = BoundedStorage({}), None, dht_pb2.NodeInfo()
    protocol.cache = protocol.storage
    yield protocol


def stored(holder: DHTProtocol, by: PeerID, subkey: bytes, value: bytes, expires: float) -> bool:
    """Whether it stores that for that peer; ``subkey`` is packed."""
    request = dht_pb2.StoreRequest(
        keys=[KEY.to_bytes()], subkeys=[subkey], values=[value], expiration_time=[expires], in_cache=[False]
    )
    context: Any = SimpleNamespace(remote_id=by)
    return list(asyncio.run(holder.rpc_store(request, context)).store_ok) == [True]


def held(holder: DHTProtocol) -> dict[PeerID, bytes]:
    """What it holds of each peer."""
    item = holder.storage.get(KEY)
    return {} if item is None else {PeerID(name): each.value for name, each in item.value.items()}


def test_a_stranger_says_nothing_in_a_peers_name(holder: DHTProtocol) -> None:
    ada, now = MSGPackSerializer.dumps(ADA.to_bytes()), time.time()
    assert not stored(holder, STRANGER, ada, NOT_LOOKING, now + 3500.0)
    assert stored(holder, ADA, ada, LOOKING, now + 15.0)
    assert not stored(holder, STRANGER, ada, NOT_LOOKING, now + 3500.0)
    assert held(holder) == {ADA: LOOKING}
    assert stored(holder, ADA, ada, NOT_LOOKING, now + 16.0)


def test_a_new_node_takes_what_another_hands_over_to_it_of_signed_records_and_of_itself(holder: DHTProtocol) -> None:
    now = time.time()
    for names, taken in (
        ([b"[owner:%b]" % bytes(300), b"[owner:%b]" % bytes(301), "16Uiu2HAm"], 3),
        ([STRANGER.to_bytes(), ADA.to_bytes()], 1),
    ):
        dictionary = DictionaryDHTValue()
        for seconds, name in enumerate(names):
            dictionary.store(name, LOOKING, now + 3500.0 + seconds)
        holder.storage = BoundedStorage({})
        stored(holder, STRANGER, DHTProtocol.IS_DICTIONARY, MSGPackSerializer.dumps(dictionary), now + 3500.0)
        assert len(dict(holder.storage.get(KEY).value.items())) == taken


def test_a_plain_value_over_all_of_them_is_refused(holder: DHTProtocol) -> None:
    ada, now = MSGPackSerializer.dumps(ADA.to_bytes()), time.time()
    assert stored(holder, ADA, ada, LOOKING, now + 15.0)
    assert not stored(holder, STRANGER, DHTProtocol.IS_REGULAR_VALUE, LOOKING, now + 3500.0)
    assert held(holder).keys() == {ADA}
