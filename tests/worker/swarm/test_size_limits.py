"""A stranger cannot have us read more into memory than any message has, nor encode more than any peer id has."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest
from hivemind import DHT
from hivemind.dht import DHTNode
from hivemind.dht.routing import DHTID
from hivemind.p2p import PeerID
from hivemind.p2p.p2p_daemon import P2P
from hivemind.utils import get_dht_time

from core.worker.swarm.patches import size_limits
from core.worker.swarm.patches.size_limits import MAX_PEER_ID_BYTES, is_peer_id, limit_peer_ids
from tests.worker.progress.dht_nodes import dht_nodes

LONG_BYTES = 300_000  # whose base58 takes a minute and a half
LIMIT_SECONDS = 30.0


def received(announced_bytes: int, sent: bytes) -> bytes:
    """What is read of a message that begins like that."""

    async def read() -> bytes:
        reader = asyncio.StreamReader()
        reader.feed_data(announced_bytes.to_bytes(P2P.HEADER_LEN, P2P.BYTEORDER) + sent)
        reader.feed_eof()
        return await size_limits._receive(reader)

    return asyncio.run(read())


def test_a_message_is_read_to_its_end() -> None:
    assert received(5, b"hello, and more") == b"hello"


def test_ten_gigabytes_are_refused_before_any_is_read() -> None:
    with pytest.raises(ValueError, match="longer than any can be"):
        received(10 * 2**30, b"x" * 1000)


@pytest.fixture
def limited(monkeypatch: pytest.MonkeyPatch) -> None:
    """Peer ids are bounded here, and in processes that are forked from here."""
    monkeypatch.setattr(PeerID, "__init__", PeerID.__init__)
    limit_peer_ids()


@pytest.mark.usefixtures("limited")
@pytest.mark.parametrize("named", [bytes(MAX_PEER_ID_BYTES + 1), bytes(10**8), "abc", 7, None, ("a",)])
def test_what_is_no_peer_id_is_refused_before_it_is_encoded(named: Any) -> None:
    assert not is_peer_id(named)
    with pytest.raises(ValueError, match="no peer has such an id"):
        PeerID(named)


@pytest.mark.usefixtures("limited")
def test_a_peer_id_is_what_it_was() -> None:
    peer = PeerID(b"\x12\x20" + bytes(range(32)))
    assert PeerID.from_base58(peer.to_base58()) == peer


async def name_a_long_neighbour(_dht: DHT, node: DHTNode) -> None:
    """From now on, answer everybody that the nearest node to anything is one with an id that none can have."""

    class Long:
        @staticmethod
        def to_bytes() -> bytes:
            return bytes([255]) * LONG_BYTES

    node.protocol.routing_table.get_nearest_neighbors = lambda *_args, **_options: [(DHTID.generate(), Long)]


@pytest.mark.real
@pytest.mark.timeout(300)
@pytest.mark.usefixtures("limited")
def test_who_names_a_neighbour_with_an_endless_id_keeps_nobody_else_from_being_found() -> None:
    with dht_nodes(3) as (honest, stranger, asking):
        assert honest.store("number", 7, get_dht_time() + 300.0)
        stranger.run_coroutine(name_a_long_neighbour)
        started = time.monotonic()
        found = asking.get("number", latest=True)
        assert found is not None and found.value == 7
        assert time.monotonic() - started < LIMIT_SECONDS
