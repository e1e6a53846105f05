"""Who answers, found out before libp2p takes its minutes; and how others may reach us."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator

import pytest

from core.errors import ErrorKind, UserError
from core.protocol.commands import NetworkMode
from core.worker.network.reachability import DIAL_SECONDS, answering_addresses, certain_network, is_announced

PEER = "/p2p/12D3KooWDpJ7As7BWAwRMfu1VU2WCqNjvq387JEYKDBj4kx6nXTN"
NOWHERE = f"/ip4/127.0.0.1/tcp/1{PEER}"


@pytest.fixture
def port() -> Iterator[int]:
    """Where somebody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def test_only_addresses_that_answer_are_kept(port: int) -> None:
    somewhere = f"/ip4/127.0.0.1/tcp/{port}{PEER}"
    assert answering_addresses([NOWHERE, somewhere]) == (somewhere,)


@pytest.mark.parametrize("host", ["dns4/localhost", "dns/localhost"])
def test_names_are_looked_up(port: int, host: str) -> None:
    assert answering_addresses([f"/{host}/tcp/{port}{PEER}"])


def test_a_relay_is_dialled_in_the_place_of_who_is_behind_it(port: int) -> None:
    assert answering_addresses([f"/ip4/127.0.0.1/tcp/{port}{PEER}/p2p-circuit{PEER}"])
    with pytest.raises(UserError):
        answering_addresses([f"{NOWHERE}/p2p-circuit{PEER}"])


@pytest.mark.parametrize("address", ["/ip4/192.0.2.1/udp/1/quic-v1", "/dnsaddr/example.invalid"])
def test_what_cannot_be_dialled_so_simply_is_left_to_libp2p(address: str) -> None:
    assert answering_addresses([NOWHERE, address + PEER]) == (address + PEER,)


@pytest.mark.parametrize(
    "addresses",
    [
        [NOWHERE],
        [f"/ip6/::1/tcp/1{PEER}", NOWHERE],
    ],
    ids=["closed port", "two closed ports"],
)
def test_where_nobody_answers_that_is_said_within_one_dial(addresses: list[str]) -> None:
    began = time.monotonic()
    with pytest.raises(UserError) as raised:
        answering_addresses(addresses)
    assert raised.value.problem is ErrorKind.NOBODY_ANSWERS
    assert time.monotonic() - began < 2 * DIAL_SECONDS


@pytest.mark.parametrize(
    ("wish", "addresses", "mode"),
    [
        ("direct", ["/ip4/203.0.113.5/tcp/1"], None),
        ("direct", ["/ip4/127.0.0.1/tcp/1"], "direct"),
        ("client", ["/ip4/127.0.0.1/tcp/1"], "client"),
        ("auto", ["/ip4/127.0.0.1/tcp/1", "/ip6/::1/tcp/1"], "direct"),
        ("auto", ["/ip4/127.0.0.1/tcp/1", "/ip4/203.0.113.5/tcp/1"], None),
        ("auto", ["/dns4/localhost/tcp/1"], None),
    ],
)
def test_whether_others_can_connect_is_found_out_unless_the_wish_or_the_place_says_it(
    wish: NetworkMode, addresses: list[str], mode: str | None
) -> None:
    network = certain_network(wish, addresses)
    assert mode == (network and network.mode)


@pytest.mark.parametrize(
    ("told", "is_so"),
    [
        ([f"/ip4/11.0.0.1/tcp/31337{PEER}", "/ip4/192.168.1.2/tcp/31337"], True),
        ([f"/ip4/192.168.1.2/tcp/31337{PEER}", "/ip6/2a00::1/tcp/31337"], False),
        ([f"/ip6/2a00::1/tcp/31337{PEER}"], True),
        ([], True),
    ],
    ids=["told", "untold", "another kind is enough", "nothing is told"],
)
def test_an_address_that_was_found_must_be_told_unless_another_kind_is(told: list[str], is_so: bool) -> None:
    assert is_announced("/ip4/11.0.0.1/tcp/31337", told) is is_so
