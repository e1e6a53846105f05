"""What is asked of a peer and what it answers, byte by byte; a stranger may answer anything."""

from __future__ import annotations

import asyncio
import contextlib

import pytest
from hivemind.p2p import P2P
from hivemind.utils.multiaddr import Multiaddr
from hypothesis import given
from hypothesis import strategies as st

from core.worker.swarm.dht.autonat import (
    PROTOCOL,
    UNKNOWN,
    Answer,
    ask,
    dial_request,
    is_plausible,
    own_hosts,
    read_answer,
)
from core.worker.swarm.dht.dial_back import ReachabilityResult, tally

ADDRESS = Multiaddr("/ip4/203.0.113.7/tcp/31337").to_bytes()


def response(content: bytes) -> bytes:
    """A whole answer around that content."""
    return b"\x08\x01\x1a" + bytes([len(content)]) + content


def test_the_question_is_as_the_protocol_has_it() -> None:
    peer = b"\x0a\x02id\x12\x08" + ADDRESS
    assert dial_request(b"id", [ADDRESS]) == b"\x08\x00\x12\x10\x0a\x0e" + peer


@pytest.mark.parametrize(
    ("content", "answer"),
    [
        (b"\x08\x00\x1a\x08" + ADDRESS, Answer("reached", "/ip4/203.0.113.7/tcp/31337")),
        (b"\x1a\x08" + ADDRESS, Answer("reached", "/ip4/203.0.113.7/tcp/31337")),
        (b"\x08\x64\x12\x06failed", Answer("failed")),
        (b"\x08\x65\x12\x07refused", UNKNOWN),
        (b"\x08\xac\x02", UNKNOWN),
        (b"\x08\x00", UNKNOWN),
        (b"\x08\x00\x1a\x01\xff", UNKNOWN),
    ],
    ids=["OK", "OK unsaid", "dial error", "refused", "internal error", "nowhere", "no address"],
)
def test_only_who_has_tried_counts(content: bytes, answer: Answer) -> None:
    assert read_answer(response(content)) == answer


@pytest.mark.parametrize("message", [b"", b"\x08\x01", b"\x1a\x7f", b"\x1a\x80", b"\x0d\x00", b"\x18\x01"])
def test_what_is_no_answer_says_nothing(message: bytes) -> None:
    assert read_answer(message) == UNKNOWN


@given(st.binary(max_size=200))
def test_whatever_comes_is_some_answer(message: bytes) -> None:
    assert isinstance(read_answer(message), Answer)
    assert isinstance(read_answer(response(message[:100])), Answer)


HOME, PUBLIC = "/ip4/192.168.1.2/tcp/31337", "/ip4/11.0.0.7/tcp/31337"
ROUTER, VICTIM = "/ip4/11.0.0.1/tcp/31337", "/ip4/198.51.100.7/tcp/31337"
V6 = "/ip6/2a00::7/tcp/31337"


@pytest.mark.parametrize(
    ("address", "asked", "is_so"),
    [
        (HOME, [HOME], True),
        (PUBLIC, [PUBLIC, HOME], True),
        (ROUTER, [HOME], True),
        (ROUTER, [HOME, V6], True),
        (ROUTER, [PUBLIC, HOME], False),
        ("/ip4/11.0.0.1/tcp/22", [HOME], False),
        ("/ip4/192.168.1.2/tcp/22", [HOME], False),
        ("/ip4/192.168.1.1/tcp/31337", [HOME], False),
        ("/ip4/127.0.0.1/tcp/31337", [HOME], False),
        ("/ip4/11.0.0.1/udp/31337/quic-v1", [HOME], False),
        ("/ip6/2a00::8/tcp/31337", [HOME, V6], False),
        ("/ip6/2a00::8/tcp/31337", [HOME], False),
        ("/dns4/example.org/tcp/31337", [HOME], False),
        ("", [HOME], False),
        (ROUTER, [], False),
        (ROUTER, ["/ip4/127.0.0.1/tcp/31337"], True),  # where the way to the swarm was IPv6, we ask about no other IPv4
    ],
)
def test_only_what_was_asked_about_can_be_where_we_were_reached(address: str, asked: list[str], is_so: bool) -> None:
    own = {"127.0.0.1", "192.168.1.2", "11.0.0.7", "2a00::7"}
    assert is_plausible(address, [Multiaddr(each) for each in asked], own) is is_so


@pytest.mark.parametrize(
    ("address", "is_so"),
    [(ROUTER, True), (PUBLIC, True), ("/ip4/11.0.0.1/tcp/22", False), ("/ip4/192.168.1.9/tcp/31337", False)],
)
def test_a_router_may_have_another_public_host_than_the_one_that_we_announce(address: str, is_so: bool) -> None:
    assert is_plausible(address, [Multiaddr(PUBLIC), Multiaddr(HOME)], {"127.0.0.1", "192.168.1.2"}) is is_so


def test_our_own_hosts_are_those_of_all_interfaces() -> None:
    assert "127.0.0.1" in own_hosts() and "8.8.8.8" not in own_hosts()


def test_no_single_liar_of_several_decides_what_is_announced() -> None:
    honest, liar = Answer("reached", ROUTER), Answer("reached", "/ip4/11.0.0.66/tcp/31337")
    assert tally([liar, honest, honest]) == ReachabilityResult(2, 1, ROUTER)
    assert not tally([liar, Answer("failed"), Answer("failed")]).is_reachable
    assert not tally([liar, honest]).is_reachable
    assert tally([honest, UNKNOWN]) == ReachabilityResult(1, 0, ROUTER)
    assert tally([UNKNOWN]) == ReachabilityResult()


@pytest.mark.real
@pytest.mark.parametrize("claimed", [VICTIM, "/ip4/127.0.0.1/tcp/22"])
def test_a_peer_that_claims_to_have_reached_us_elsewhere_is_not_believed(claimed: str) -> None:
    """Two real p2pds, of which the other answers AutoNAT's question as it likes."""
    assert asyncio.run(_answer_of_liar(claimed)) == UNKNOWN


async def _answer_of_liar(claimed: str) -> Answer:
    liar = await P2P.create()
    lie = response(b"\x1a\x08" + Multiaddr(claimed).to_bytes())

    async def answer(_peer: object, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.closing(writer):
            await reader.read(1000)
            writer.write(bytes([len(lie)]) + lie)
            await writer.drain()

    await liar.add_binary_stream_handler(PROTOCOL, answer)
    asker = await P2P.create(initial_peers=await liar.get_visible_maddrs())
    try:
        _peer_id, addresses = await asker._client.identify()
        return await ask(asker, liar.peer_id, addresses)
    finally:
        await asker.shutdown()
        await liar.shutdown()
