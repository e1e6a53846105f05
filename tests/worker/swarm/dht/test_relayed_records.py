"""What a holder is asked to store in the name of another peer than the one that asks (H86)."""

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

from core.worker.swarm.dht.bounded_storage import RELAYED_SECONDS, BoundedStorage
from core.worker.swarm.patches.delta_stores import store_in_deltas

KEY = DHTID.generate(source="sums_grad_averager.0b")
ADA, GRACE, STRANGER = (PeerID(b"\x00\x24\x08\x01\x12\x20" + bytes([number] * 32)) for number in range(3))
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


def held(holder: DHTProtocol) -> dict[PeerID, tuple[bytes, float]]:
    """What it holds of each peer, and how many seconds it will."""
    item = holder.storage.get(KEY)
    return (
        {}
        if item is None
        else {PeerID(name): (value, until - time.time()) for name, (value, until) in item.value.items()}
    )


def test_a_peers_own_word_takes_the_place_of_what_a_stranger_says_of_it_and_keeps_it(holder: DHTProtocol) -> None:
    ada, now = MSGPackSerializer.dumps(ADA.to_bytes()), time.time()
    assert stored(holder, STRANGER, ada, NOT_LOOKING, now + 3500.0)
    assert held(holder)[ADA][1] <= RELAYED_SECONDS
    assert stored(holder, ADA, ada, LOOKING, now + 15.0)
    assert not stored(holder, STRANGER, ada, NOT_LOOKING, now + 3500.0)
    assert held(holder)[ADA][0] == LOOKING
    assert stored(holder, ADA, ada, NOT_LOOKING, now + 16.0)


def test_a_new_node_takes_what_another_hands_over_to_it(holder: DHTProtocol) -> None:
    dictionary, now = DictionaryDHTValue(), time.time()
    for peer, seconds in ((ADA, 20.0), (GRACE, 3500.0), (STRANGER, 1000.0)):
        dictionary.store(peer.to_bytes(), LOOKING, now + seconds)
    whole = MSGPackSerializer.dumps(dictionary)
    assert stored(holder, STRANGER, DHTProtocol.IS_DICTIONARY, whole, dictionary.latest_expiration_time)
    lifetimes = [round(seconds / 10.0) * 10.0 for _, seconds in held(holder).values()]
    assert lifetimes == [20.0, RELAYED_SECONDS, 1000.0]


def test_a_plain_value_over_all_of_them_is_refused(holder: DHTProtocol) -> None:
    ada, now = MSGPackSerializer.dumps(ADA.to_bytes()), time.time()
    assert stored(holder, ADA, ada, LOOKING, now + 15.0)
    assert not stored(holder, STRANGER, DHTProtocol.IS_REGULAR_VALUE, LOOKING, now + 3500.0)
    assert held(holder).keys() == {ADA}
