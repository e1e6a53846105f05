"""Records that have changed are stored as what is new in them; who does not know of that is sent all (H78)."""

from __future__ import annotations

import base64
import contextlib
import os
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import msgspec
import pytest
from hivemind import DHT
from hivemind.dht import DHTNode
from hivemind.dht.protocol import DHTProtocol
from hivemind.dht.routing import DHTID
from hivemind.proto import dht_pb2
from hypothesis import given
from hypothesis import strategies as st

from core.worker.swarm.conditional_finds.messages import attach
from core.worker.swarm.patches.delta_stores import MOST_VALUE_BYTES, Delta, _packed, store_in_deltas
from core.worker.swarm.patches.monotonic_clock import steady_time
from tests.support.environment.x11_desktop import wait_for
from tests.worker.progress.dht_nodes import forget_key, patient_node

KEY = "sums_progress"
KEY_ID = DHTID.generate(source=KEY)
NAME = base64.b64encode(os.urandom(279)).decode()  # as long as an RSA key
LONG, SHORT = 800, 450  # bytes of a request at least, where all is sent, and at most, where what is new is

values = st.binary(max_size=MOST_VALUE_BYTES - 1)


@given(values, values)
def test_a_delta_is_the_new_value_to_who_has_the_one_before(value: bytes, before: bytes) -> None:
    assert Delta(b"key", b"", 1.0, _packed(value, before)).value(before) == value


@given(st.binary(max_size=200), values)
def test_a_made_up_delta_is_refused_in_one_way(packed: bytes, before: bytes) -> None:
    try:
        value = Delta(b"key", b"", 1.0, packed).value(before)
    except ValueError:
        return
    assert len(value) <= MOST_VALUE_BYTES


def test_a_delta_that_grows_without_end_is_refused() -> None:
    with pytest.raises(ValueError, match="too long"):
        Delta(b"key", b"", 1.0, zlib.compress(bytes(2**24))).value(b"before")


@pytest.fixture
def as_delta_nodes(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nodes that are made from here on store in deltas."""
    for name in ("get_stub", "rpc_store"):
        monkeypatch.setattr(DHTProtocol, name, getattr(DHTProtocol, name))  # as it was, once the test is over
    store_in_deltas()
    yield


async def _count_stored(_dht: DHT, node: DHTNode) -> None:
    """From now on, note how long each request is that this node sends to store something."""
    node.stored_bytes = []
    send = DHTProtocol._stub_type.rpc_store

    async def rpc_store(self: Any, request: Any, timeout: float | None = None) -> Any:
        node.stored_bytes.append(request.ByteSize())
        return await send(self, request, timeout)

    DHTProtocol._stub_type.rpc_store = rpc_store


async def _stored_bytes(_dht: DHT, node: DHTNode) -> list[int]:
    found, node.stored_bytes[:] = [*node.stored_bytes], []
    return found


async def _store(_dht: DHT, node: DHTNode, holder: Any, value: bytes, expires: float) -> list[bool]:
    stored = await node.protocol.call_store(holder, [KEY_ID], [value], [expires], subkeys=[NAME])
    return list(stored or [])


async def _held(_dht: DHT, node: DHTNode) -> list[bytes]:
    item = node.protocol.storage.get(KEY_ID)
    return [each.value for _, each in item.value.items()] if item is not None else []


def report() -> bytes:
    """As long as one of somebody's progress, with its signature."""
    names = b"peer_id epoch samples_accumulated samples_per_second time client_mode, as they are in each of them"
    return names + os.urandom(16) + b"[signature:%b]" % base64.b64encode(os.urandom(256))


@contextlib.contextmanager
def counting_node(holder: DHT) -> Iterator[DHT]:
    """A node in the DHT of the holder, which notes how long its requests to store something are; both end with it."""
    node = patient_node(holder.get_visible_maddrs())
    node.run_coroutine(_count_stored)
    try:
        yield node
    finally:
        node.shutdown()
        holder.shutdown()


def stores(holder: DHT, writer: DHT, reports: list[bytes], lifetime: float = 100.0) -> list[list[int]]:
    """For each report in turn, how long the requests were with which it was stored; the holder has it then."""
    lengths = []
    for number, value in enumerate(reports):
        expires = steady_time() + lifetime + number
        assert writer.run_coroutine(partial(_store, holder=holder.peer_id, value=value, expires=expires)) == [True]
        assert holder.run_coroutine(_held) == [value]
        lengths.append(writer.run_coroutine(_stored_bytes))
    return lengths


@pytest.mark.real
@pytest.mark.timeout(200)
@pytest.mark.usefixtures("as_delta_nodes")
def test_the_second_report_is_stored_as_what_is_new_in_it_and_all_of_it_where_the_first_is_gone() -> None:
    holder = patient_node()
    with counting_node(holder) as writer:
        [[first], [second], [third]] = stores(holder, writer, [report(), report(), report()])
        assert second < SHORT < LONG < first and third < SHORT
        holder.run_coroutine(partial(forget_key, key=KEY))
        [[refused, again]] = stores(holder, writer, [report()])
        assert refused < SHORT < LONG < again


@pytest.mark.real
@pytest.mark.timeout(200)
@pytest.mark.usefixtures("as_delta_nodes")
def test_what_has_expired_at_its_holder_is_stored_in_full_at_once_and_is_no_refusal() -> None:
    """As an offer of the state, which lives until the next one."""
    holder = patient_node()
    with counting_node(holder) as writer:
        stores(holder, writer, [report()], lifetime=1.0)
        wait_for(lambda: not holder.run_coroutine(_held), "the end of the first report")
        [[second], [third]] = stores(holder, writer, [report(), report()])
        assert third < SHORT < LONG < second


@pytest.mark.real
@pytest.mark.timeout(200)
def test_a_plain_holder_is_sent_all_and_after_two_refusals_at_once(request: pytest.FixtureRequest) -> None:
    holder = patient_node()
    request.getfixturevalue("as_delta_nodes")
    with counting_node(holder) as writer:
        lengths = stores(holder, writer, [report() for _ in range(6)])
        assert [len(each) for each in lengths] == [1, 2, 2, 1, 1, 1] and all(each[-1] > LONG for each in lengths)


async def _send(_dht: DHT, node: DHTNode, holder: Any, parts: list[bytes]) -> int:
    made_up = dht_pb2.StoreRequest(peer=node.protocol.node_info)
    attach(made_up, parts)
    response = await node.protocol.get_stub(holder).rpc_store(made_up, timeout=node.protocol.wait_timeout)
    return len(response.store_ok)


@pytest.mark.real
@pytest.mark.timeout(200)
@pytest.mark.usefixtures("as_delta_nodes")
def test_made_up_deltas_store_nothing_and_the_holder_answers_on() -> None:
    holder = patient_node()
    delta = Delta(KEY_ID.to_bytes(), bytes(16), steady_time() + 100.0, b"packed")
    wrong: list[Callable[[], bytes]] = [
        lambda: b"nonsense",
        lambda: msgspec.msgpack.encode(delta),
        lambda: msgspec.msgpack.encode(msgspec.structs.replace(delta, key=b"short")),
    ]
    with counting_node(holder) as writer:
        for make in wrong:
            assert writer.run_coroutine(partial(_send, holder=holder.peer_id, parts=[make()])) == 0
        assert len(stores(holder, writer, [report()])) == 1
