"""Our p2pd carries nobody's connections: real p2pds, one of which asks the other for a place on its relay."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

import pytest
from hivemind.p2p import P2P

from core.protocol.events import Connected
from core.worker.swarm.dht.no_relay import HOP_PROTOCOL, serve_no_relay
from tests.support.real_peers import PeerGroup

pytestmark = [pytest.mark.real, pytest.mark.timeout(600)]

NOTHING_YET, RESERVE, RESERVE_OF_NO_SENSE = b"", b"\x02\x08\x00", b"\xff" * 64
ANSWER_SECONDS = 60.0
GRANTED, REFUSED = 100, 200


async def answer_to(request: bytes, address: str) -> int:
    """The status that the peer at that address answers to a request of the relay protocol."""
    asker = await P2P.create(initial_peers=[address], dht_mode="client")
    try:
        (peer,) = [each.peer_id for each in await asker.list_peers()]
        _info, reader, writer = await asker.call_binary_stream_handler(peer, HOP_PROTOCOL)
        with contextlib.closing(writer):
            writer.write(request)
            await writer.drain()
            async with asyncio.timeout(ANSWER_SECONDS):
                length = bytearray(await reader.readexactly(1))
                while length[-1] & 0x80:
                    length += await reader.readexactly(1)
                size = sum((byte & 0x7F) << 7 * place for place, byte in enumerate(length))
                status = status_in(await reader.readexactly(size))
        await writer.wait_closed()
        return status
    finally:
        await asker.shutdown()


def status_in(message: bytes) -> int:
    """The last field of a HopMessage, a varint of two bytes at the most: its status."""
    tag = message.rindex(b"\x28", 0, len(message) - 1)
    return sum((byte & 0x7F) << 7 * place for place, byte in enumerate(message[tag + 1 :]))


async def reserved_at(is_served: bool, request: bytes = RESERVE, **options: Any) -> int:
    """What a p2pd with those options answers who is asked for a place, where we ``serve_no_relay`` or do."""
    relay = await P2P.create(**options)
    try:
        if not is_served:
            await serve_no_relay(relay)
        (address, *_) = await relay.get_visible_maddrs()
        return await answer_to(request, str(address))
    finally:
        await relay.shutdown()


@pytest.mark.parametrize("use_relay", [True, False])
def test_a_place_on_our_relay_is_refused_with_and_without_relays(use_relay: bool) -> None:
    assert asyncio.run(reserved_at(is_served=False, use_relay=use_relay)) == REFUSED


def test_whoever_opens_the_stream_is_refused_before_its_request_arrives() -> None:
    assert asyncio.run(reserved_at(is_served=False, request=NOTHING_YET)) == REFUSED


@pytest.mark.parametrize("use_relay", [True, False])
def test_the_refusal_is_needed_whatever_hivemind_is_told(use_relay: bool) -> None:
    assert asyncio.run(reserved_at(is_served=True, use_relay=use_relay)) == GRANTED


@pytest.mark.parametrize("request_bytes", [RESERVE, RESERVE_OF_NO_SENSE])
@pytest.mark.slow
def test_a_peer_of_a_run_serves_no_relay_and_goes_on(group: PeerGroup, request_bytes: bytes) -> None:
    organiser = group.organiser(train=False)
    for _ in range(3):
        assert asyncio.run(answer_to(request_bytes, organiser.posted)) == REFUSED
    assert group.newcomer(organiser.posted, "volunteer").wait_for(Connected).peers >= 1
