"""What a volunteer pastes is read, or answered with the piece that is wrong."""

from __future__ import annotations

import time
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import ErrorKind
from core.run.address import JoinAddress, UnreadableAddress
from core.run.multiaddr import Multiaddr
from core.security.peer_id import encode_base58, peer_id_of

ED = "12D3KooWBtg3aaRMjxwedh83aGiUkwSxDwUZkzuJcfaqUmo7R3pq"
RSA = "QmYyQSo1c1Ym7orWxLYvCrM2EmxFTANf8wXmmE7DWjhx5N"
ONE = Multiaddr(f"/ip4/203.0.113.5/tcp/31337/p2p/{ED}")
TWO = Multiaddr(f"/ip4/198.51.100.7/udp/4001/quic-v1/p2p/{RSA}")


def refused(text: str) -> UnreadableAddress:
    """The error that the text is answered with, which always says what a good one looks like."""
    with pytest.raises(UnreadableAddress) as raised:
        JoinAddress.parse(text)
    assert raised.value.problem is ErrorKind.ADDRESS_UNREADABLE
    assert raised.value.problem.exit_code == 3
    assert "a good one looks like" in str(raised.value)
    assert str(raised.value).isprintable()
    return raised.value


@pytest.mark.parametrize(
    "address",
    [
        ONE,
        TWO,
        f"/ip6/2001:db8::5/tcp/31337/p2p/{ED}",
        f"/dns/example.org/tcp/31337/p2p/{ED}",
        f"/dns4/a-b.example.org/udp/31337/quic-v1/p2p/{ED}",
        f"/dns6/localhost/tcp/1/p2p/{ED}",
        f"/dnsaddr/bootstrap.libp2p.io/p2p/{RSA}",
        f"/ip4/127.0.0.1/tcp/65535/p2p/{ED}",
        f"/ip4/203.0.113.5/tcp/31337/p2p/{RSA}/p2p-circuit/p2p/{ED}",
        "/ip4/203.0.113.5/tcp/1/p2p/" + encode_base58(bytes.fromhex("00250802122102") + bytes(32)),
    ],
)
def test_a_good_address_stays_as_it_is(address: str) -> None:
    assert JoinAddress.parse(address).peers == (address,)


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        (f"/ip4/203.0.113.5/tcp/31337/ipfs/{ED}", ONE),
        (f"/IP4/203.0.113.5/TCP/31337/P2P/{ED}/", ONE),
        (f"ip4/203.0.113.5/tcp/31337/p2p/{ED}", ONE),
        (f"//ip4/203.0.113.5//tcp/31337/p2p/{ED}", ONE),
        (f"/ip6/2001:DB8:0:0::0005/tcp/1/p2p/{ED}", f"/ip6/2001:db8::5/tcp/1/p2p/{ED}"),
        (f"/dns4/Example.ORG/tcp/1/p2p/{ED}", f"/dns4/example.org/tcp/1/p2p/{ED}"),
    ],
)
def test_another_way_to_write_it_becomes_the_normal_one(written: str, normal: str) -> None:
    assert JoinAddress.parse(written).peers == (normal,)


@pytest.mark.parametrize(
    "text",
    [
        f"{ONE} {TWO}",
        f"{ONE},{TWO}",
        f"  {ONE};\n\n{TWO}\r\n",
        f'["{ONE}", "{TWO}"]',
        f"('{ONE}', '{TWO}')",
        f"[<Multiaddr {ONE}>, <Multiaddr {TWO}>]",
        f"--initial_peers {ONE} {TWO}",
        f"INITIAL_PEERS={ONE},{TWO}",
        f'export INITIAL_PEERS="{ONE} {TWO}"',
        f"--initial_peers='{ONE}' \\\n  '{TWO}'",
        f"Join us: {ONE} or **{TWO}**.",
        f"“{ONE}”\u00a0and\u200b{TWO}!",
        f"Nov 21 01:20:11.123 [\x1b[1m\x1b[34mINFO\x1b[0m] use --initial_peers \x1b[32m{ONE} {TWO}\x1b[0m",
        f"$ python /home/me/ip4/run.py --host_maddrs /ip4/0.0.0.0/tcp/0 '/ip4/0.0.0.0/udp/0/quic' "
        f"--initial_peers {ONE} {TWO} --announce_maddrs /ip4/203.0.113.9/tcp/1",
        f"see http://example.org/dns/x and {ONE} {TWO} {ONE}",
        f"workerbee: publishing at {ONE} and {TWO}",
    ],
)
def test_addresses_are_found_in_whatever_surrounds_them(text: str) -> None:
    assert JoinAddress.parse(text) == JoinAddress((ONE, TWO))


def test_the_same_peer_at_two_addresses_is_one_peer() -> None:
    address = JoinAddress.parse(f"{ONE} {ONE.replace('ip4/203.0.113.5', 'dns4/example.org')} {TWO}")
    assert len(address.peers) == 3
    assert address.peer_ids == (ED, RSA)


def test_the_peer_behind_a_relay_is_the_one_that_counts() -> None:
    address = JoinAddress.parse(f"/ip4/203.0.113.5/tcp/1/p2p/{RSA}/p2p-circuit/p2p/{ED}")
    assert address.peer_ids == (ED,)


@pytest.mark.parametrize(
    "text",
    [
        JoinAddress((ONE, TWO), "sums").link,
        unquote(JoinAddress((ONE, TWO), "sums").link),
        f'Click <a href="{JoinAddress((ONE, TWO), "sums").link.replace("&", "&amp;")}">here</a>',
        f"({JoinAddress((ONE, TWO), 'sums').link}).",
        JoinAddress((ONE, TWO), "sums").link.replace("join?", "JOIN/?from=2&") + "#top",
        f"workerbee join {ONE} {TWO} --run sums",
        f"python train.py --run_id 'sums' --initial_peers {ONE} {TWO}",
    ],
)
def test_a_link_or_a_command_also_names_the_run(text: str) -> None:
    assert JoinAddress.parse(text) == JoinAddress((ONE, TWO), "sums")


def test_a_link_is_one_word_that_needs_no_quotes_in_a_web_page() -> None:
    link = JoinAddress((ONE,), "sums").link
    assert link == f"workerbee://join?peer=%2Fip4%2F203.0.113.5%2Ftcp%2F31337%2Fp2p%2F{ED}&run=sums"


GOOD_HOSTS = st.one_of(
    st.ip_addresses(v=4).filter(lambda ip: not ip.is_multicast and 0 < int(ip) < 2**32 - 1).map("/ip4/{}".format),
    st.ip_addresses(v=6).filter(lambda ip: not ip.is_multicast and int(ip) > 0).map("/ip6/{}".format),
    st.lists(st.sampled_from(["a", "run-7", "example", "org", "x" * 63]), min_size=1, max_size=3)
    .map(".".join)
    .flatmap(lambda name: st.sampled_from([f"/dns/{name}", f"/dns4/{name}", f"/dns6/{name}"])),
)
GOOD_PORTS = st.integers(1, 65535).flatmap(lambda n: st.sampled_from([f"/tcp/{n}", f"/udp/{n}/quic-v1"]))
GOOD_IDS = st.binary(min_size=32, max_size=32).map(peer_id_of)
GOOD_PEERS = st.builds("{}{}/p2p/{}".format, GOOD_HOSTS, GOOD_PORTS, GOOD_IDS).map(Multiaddr)
RUN_IDS = st.none() | st.text("aZ0-_", max_size=63).map("r{}".format)


@given(st.lists(GOOD_PEERS, min_size=1, max_size=5, unique=True), RUN_IDS)
def test_a_link_gives_back_what_made_it(peers: list[Multiaddr], run_id: str | None) -> None:
    address = JoinAddress(tuple(peers), run_id)
    assert JoinAddress.parse(address.link) == address
    assert JoinAddress.parse(" ".join(peers)).peers == address.peers


_PROTOCOLS = ["ip4", "ip6", "dns", "tcp", "udp", "quic", "p2p", "p2p-circuit", "1.2.3.4", "::1", "80"]
_OTHERS = ["workerbee://join?", "peer=", "run=", "%2F", "--run ", "--listen ", "\x1b[", ED, ONE]
PIECES = st.sampled_from([*"/,;?&=%.: \n٣℀\x07\ud800", *_PROTOCOLS, *_OTHERS])


@given(st.one_of(st.text(), st.lists(PIECES, max_size=30).map("".join)))
def test_no_text_whatever_does_more_than_be_refused(text: str) -> None:
    try:
        address = JoinAddress.parse(text)
    except UnreadableAddress as error:
        assert str(error).isprintable()
        assert len(str(error)) < 1000
    else:
        assert address.peers
        assert JoinAddress.parse(address.link) == address


@pytest.mark.parametrize(
    ("text", "piece", "reason"),
    [
        ("", "", "nothing was pasted"),
        (" \n\u200b ", "", "nothing was pasted"),
        ("hello there", "hello", "this is not an address"),
        ("203.0.113.5:31337", "203.0.113.5:31337", "the peer id is missing"),
        (f"my peer is {ED}", ED, "does not say where the peer is"),
        ("https://example.org/run", "https://example.org/run", "a web link"),
        ("/ip4/203.0.113.5/tcp/31337", "/ip4/203.0.113.5/tcp/31337", "without /p2p/"),
        ("/ip4/203.0.113.5/tcp/31337/p2p/", "/ip4/203.0.113.5/tcp/31337/p2p", "without /p2p/"),
        ("/ip4/", "/ip4", "“” is not an IPv4 address"),
        (ONE.replace("203.0.113.5", "203.0.113.555"), "203.0.113.555", "is not an IPv4 address"),
        (ONE.replace("203.0.113.5", "example.org"), "example.org", "a name goes with /dns4/"),
        (ONE.replace("ip4", "ip6"), "203.0.113.5", "is not an IPv6 address"),
        (ONE.replace("ip4/203.0.113.5", "ip6/fe80::1%eth0"), "fe80::1%eth0", "is not an IPv6 address"),
        (ONE.replace("203.0.113.5", "0.0.0.0"), "/ip4/0.0.0.0", "nobody can dial 0.0.0.0"),
        (ONE.replace("ip4/203.0.113.5", "ip6/::"), "/ip6/::", "nobody can dial ::"),
        (ONE.replace("203.0.113.5", "224.0.0.1"), "224.0.0.1", "not the address of one computer"),
        (ONE.replace("ip4/203.0.113.5", "dns4/ex..ample"), "ex..ample", "is not a host name"),
        (ONE.replace("31337", "70000"), "70000", "a number from 1 to 65535"),
        (ONE.replace("31337", "0"), "/tcp/0/", "a number from 1 to 65535"),
        (ONE.replace("31337", "٣١"), "٣١", "a number from 1 to 65535"),
        (ONE.replace("31337", "9" * 5000), "999", "a number from 1 to 65535"),
        (f"/ip4/203.0.113.5/p2p/{ED}", "/ip4/203.0.113.5/p2p", "where the port should be"),
        ("/ip4/203.0.113.5", "/ip4/203.0.113.5", "it ends where the port should be"),
        (ONE.replace("tcp", "udp"), "/udp/31337", "must be followed by /quic-v1"),
        (TWO.replace("quic-v1", "quic"), "/quic/", "the old /quic is dead"),
        (ONE.replace("/p2p/", "/ws/p2p/"), "/ws/", "“ws” stands where /p2p/"),
        (ONE[:-4], ONE[:15], "is 48 characters long, and one that begins with 12D3KooW has 52"),
        (ONE.replace("W", "0"), "12D3Koo0", "contains “0”, which no peer id contains"),
        (ONE.replace(ED, "hezzo"), "/hezzo", "the peer id is damaged, or no peer id"),
        (ONE + "/tcp/5", "/tcp/5", "“tcp” follows where the address should end"),
        (f"{ONE}/p2p-circuit", "/p2p-circuit", "without /p2p/"),
        (f"/ip4/1.2.3.4/tcp/1/p2p-circuit/p2p/{ED}", "p2p-circuit", "“p2p-circuit” stands where /p2p/"),
        (f"{ONE} {TWO[:-1]}", TWO[:20], "is 45 characters long"),
        ("workerbee://join", "workerbee://join", "this link names no peer"),
        ("workerbee://join?peer=", "workerbee://join?peer=", "this link names no peer"),
        ("workerbee://join?peer=hello", "hello", "begins with where the peer is"),
        (f"workerbee://open?peer={ONE}", "workerbee://open", "none to join a run"),
        (f"workerbee://join?peer={ONE}&run=a%20b", "a b", "not a run's name"),
        (f"workerbee://join?peer={ONE}&run=a&run=b", "a, b", "several runs"),
        (" ".join(ONE.replace("31337", str(port)) for port in range(1, 70)), "", "69 addresses, and 64 are"),
        ("x" * 200_000, "", "200000 characters long"),
    ],
)
def test_what_cannot_be_read_is_named_with_the_reason(text: str, piece: str, reason: str) -> None:
    error = refused(text)
    assert reason in str(error.detail)
    assert piece in str(error.detail)


@pytest.mark.parametrize(
    "unit",
    ["/", "/ip4/", "/ip4/=", "....", "-", "Qm", "workerbee:/", "--listen /ip4/=", "\x1b[", "a.", "/ip4/a,"],
)
def test_a_long_text_is_answered_at_once(unit: str) -> None:
    for text in (unit * (60_000 // len(unit)) + "x", "/ip4/" + unit * (60_000 // len(unit)) + "x"):
        begun = time.process_time()
        error = refused(text)
        assert time.process_time() - begun < 0.5
        assert len(str(error.detail)) < 1000
