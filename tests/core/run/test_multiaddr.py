"""A multiaddr is read once, says what it is made of, and is refused in words."""

from __future__ import annotations

import pickle
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.protocol.codec import decode_command, encode
from core.protocol.commands import Join
from core.run.multiaddr import Multiaddr, MultiaddrError, is_loopback, readable_multiaddrs, split_peer, tcp_multiaddr
from tests.support.cli_process import workerbee
from tests.support.peers.sample_addresses import PEER_ID

RELAY = "QmYyQSo1c1Ym7orWxLYvCrM2EmxFTANf8wXmmE7DWjhx5N"
TCP = Multiaddr(f"/ip4/203.0.113.5/tcp/31337/p2p/{PEER_ID}")


def test_it_says_what_it_is_made_of() -> None:
    address = Multiaddr(f"/DNS4/Example.org/udp/4001/quic-v1/ipfs/{RELAY}/p2p-circuit/p2p/{PEER_ID}")
    assert address == f"/dns4/example.org/udp/4001/quic-v1/p2p/{RELAY}/p2p-circuit/p2p/{PEER_ID}"
    assert (address.host_protocol, address.host) == ("dns4", "example.org")
    assert (address.transport, address.port) == ("quic-v1", 4001)
    assert (address.relay_id, address.peer_id) == (RELAY, PEER_ID)
    assert address.ip is None and address.is_public and not address.is_loopback and address.tcp_endpoint is None


def test_where_to_listen_needs_neither_a_peer_nor_a_port() -> None:
    everywhere = Multiaddr("/ip6/::/tcp/0")
    assert (everywhere.port, everywhere.peer_id, everywhere.place) == (0, None, everywhere)
    assert everywhere == tcp_multiaddr("::", 0)
    assert TCP.place == tcp_multiaddr("203.0.113.5", 31337) == "/ip4/203.0.113.5/tcp/31337"


def test_a_plain_connection_goes_to_the_peer_or_to_its_relay() -> None:
    assert TCP.tcp_endpoint == ("203.0.113.5", 31337)
    assert Multiaddr(f"/ip6/::1/tcp/5/p2p/{RELAY}/p2p-circuit/p2p/{PEER_ID}").tcp_endpoint == ("::1", 5)
    assert Multiaddr("/dnsaddr/example.org/tcp/5").tcp_endpoint is None


def test_the_peer_is_known_also_where_the_transport_is_not() -> None:
    assert split_peer(f"/ip4/1.2.3.4/udp/1/quic/p2p/{PEER_ID}") == ("/ip4/1.2.3.4/udp/1/quic", PEER_ID)
    assert split_peer("/ip4/1.2.3.4/tcp/1") == ("/ip4/1.2.3.4/tcp/1", "")


def test_a_dnsaddr_leaves_the_port_to_the_dns() -> None:
    address = Multiaddr("/dnsaddr/x")
    assert (address.transport, address.port) == ("", None)


@pytest.mark.parametrize(
    ("host", "loopback", "public"),
    [
        ("ip4/127.8.0.1", True, False),
        ("ip6/::1", True, False),
        ("ip4/192.168.1.7", False, False),
        ("ip6/::ffff:192.168.1.1", False, False),
        ("ip4/8.8.8.8", False, True),
        ("dns4/example.org", False, True),
        ("dns/localhost", False, False),
    ],
)
def test_whose_address_it_is(host: str, loopback: bool, public: bool) -> None:
    address = Multiaddr(f"/{host}/tcp/1")
    assert (address.is_loopback, address.is_public) == (loopback, public)


def test_a_text_that_is_none_names_no_computer() -> None:
    assert is_loopback("/ip4/127.0.0.1/tcp/1")
    assert not is_loopback("/ip4/nonsense/tcp/1")
    assert not is_loopback("")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "begins with where the peer is"),
        ("/unix/tmp/x", "begins with where the peer is"),
        ("/ip4/nonsense/tcp/1", "“nonsense” is not an IPv4 address"),
        ("/ip4/1.2.3.4", "it ends where the port should be"),
        ("/ip4/1.2.3.4/tcp/65536", "is not a port"),
        ("/ip4/1.2.3.4/udp/1/quic", "the old /quic is dead"),
        ("/ip4/1.2.3.4/tcp/1/ws", "“ws” stands where /p2p/"),
        ("/ip4/1.2.3.4/tcp/1/p2p/nobody", "the peer id is damaged"),
        (f"{TCP}/tcp/2", "“tcp” follows where the address should end"),
    ],
)
def test_what_cannot_be_read_has_a_reason(text: str, reason: str) -> None:
    with pytest.raises(MultiaddrError, match=reason):
        Multiaddr(text)
    assert readable_multiaddrs([text, TCP]) == (TCP,)


@given(
    st.one_of(st.text(), st.lists(st.sampled_from(["/", "ip4", "tcp", "1", "p2p", "::", PEER_ID, TCP])).map("".join))
)
def test_no_text_whatever_does_more_than_be_refused(text: str) -> None:
    for address in readable_multiaddrs([text]):
        assert Multiaddr(str(address)) == address


def test_it_crosses_pipes_and_processes_as_it_is() -> None:
    join = Join(addresses=(TCP,), home="/nowhere")
    assert b'["%s"]' % TCP.encode() in encode(join)
    decoded = decode_command(encode(join))
    assert decoded == join
    assert isinstance(decoded, Join) and decoded.addresses[0].peer_id == PEER_ID
    copied = pickle.loads(pickle.dumps(TCP))
    assert (copied, copied.port) == (TCP, 31337)


@pytest.mark.parametrize(
    "addresses", [b'["nowhere"]', b"[1]", b'["/ip4/1.2.3.4/tcp/1"' + b',"/ip4/1.2.3.4/tcp/1"' * 64 + b"]"]
)
def test_a_command_with_anything_else_is_refused(addresses: bytes) -> None:
    with pytest.raises(msgspec.ValidationError):
        decode_command(b'{"command":"join","home":"/","addresses":%s}' % addresses)


def test_where_to_listen_is_read_before_anything_starts(tmp_path: Path) -> None:
    result = workerbee(tmp_path, "publish", "run.toml", "--listen", "/ip4/nonsense/tcp/1")
    assert result.code == 2
    assert "“nonsense” is not an IPv4 address" in result.err
