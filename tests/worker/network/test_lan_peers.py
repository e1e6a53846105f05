"""Whom a stranger's word can make us dial in our own home network: next to nobody."""

from __future__ import annotations

import ipaddress
import sys
from types import SimpleNamespace
from typing import Any

import pytest
from hivemind.utils import MSGPackSerializer
from hypothesis import given
from hypothesis import strategies as st

from core.run.multiaddr import tcp_multiaddr
from core.worker.network import lan_peers
from core.worker.network.lan_peers import (
    AGAIN_SECONDS,
    LOOK_AGAIN_SECONDS,
    POLL_SECONDS,
    LanPeers,
    is_within,
    lan_record,
)
from core.worker.network.local_network import LocalNetwork, private_network
from core.worker.network.peer_cache import PeerCache
from core.worker.swarm.dht.reader import parse_record
from core.worker.swarm.dht.run_records import MAX_ADDRESS_CHARACTERS, MAX_ADDRESSES, LanAddresses
from tests.support.environment.network_namespaces import Host, Internet
from tests.support.hypothesis_profile import ANYTHING, ODD_TEXT
from tests.support.peers.sample_addresses import PEER_ID

HOME = ipaddress.ip_network("192.168.1.0/24")
HOME6 = ipaddress.ip_network("fd00:1:2:3::/64")
ASK = "import sys; from core.worker.network.local_network import private_network; print(private_network(sys.argv[1]))"


@pytest.mark.parametrize(
    ("address", "network"),
    [("/ip4/192.168.1.7/tcp/31337", HOME), ("/ip6/fd00:1:2:3::7/tcp/1024", HOME6)],
)
def test_an_ordinary_port_in_our_own_network_may_be_a_neighbours(
    address: str, network: ipaddress.IPv4Network | ipaddress.IPv6Network
) -> None:
    assert is_within(address, network)


@pytest.mark.parametrize(
    "address",
    [
        "/ip4/192.168.2.7/tcp/31337",
        "/ip4/11.0.0.7/tcp/31337",
        "/ip4/127.0.0.1/tcp/31337",
        "/ip4/192.168.1.1/tcp/80",
        "/ip4/192.168.1.1/tcp/-31337",
        "/ip4/192.168.1.1/tcp/99999",
        "/ip4/192.168.1.7/udp/31337",
        "/ip4/192.168.1.7/tcp/31337/p2p/12D3KooWDpJ7As7BWAwRMfu1VU2WCqNjvq387JEYKDBj4kx6nXTN",
        "/ip6/fd00:1:2:3::7/tcp/31337",
        "/ip4/192.168.1.7/tcp/٣١٣٣٧",
        "/dns4/router.home/tcp/31337",
        "192.168.1.7:31337",
        "",
    ],
)
def test_nothing_else_is_dialled(address: str) -> None:
    assert not is_within(address, HOME)


def private_network_at(host: Host) -> str:
    """What a computer there takes for its own part of a home network."""
    return host.run(sys.executable, "-c", ASK, host.address).strip()


@pytest.mark.networks
def test_only_who_is_in_a_private_network_has_neighbours(net: Internet) -> None:
    assert private_network_at(net.router().host()) == "192.168.1.0/24"
    assert private_network_at(net.host()) == "None"


def test_this_computer_is_nobodys_neighbour() -> None:
    assert private_network("127.0.0.1") is None
    assert private_network("") is None


@given(st.lists(ODD_TEXT | st.sampled_from(["", "ip4", "192.168.1.7", "tcp", "31337"])).map("/".join))
def test_whatever_is_told_instead_of_an_address_is_none(told: str) -> None:
    assert is_within(told, HOME) is (told == "/ip4/192.168.1.7/tcp/31337")


@given(ANYTHING | st.fixed_dictionaries({"addresses": ANYTHING}))
def test_a_record_is_small_or_refused(told: object) -> None:
    record = parse_record(LanAddresses, told)
    if record is not None:
        assert len(record.addresses) <= MAX_ADDRESSES
        assert all(len(address) <= MAX_ADDRESS_CHARACTERS for address in record.addresses)


def test_a_record_whose_keys_are_no_text_is_refused() -> None:
    assert parse_record(LanAddresses, {None: None}) is None


class Neighbourhood:
    """A volunteer at home that only connects outwards, the one direct peer of its run, and what that has published."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now, self.reads, self.dialled = 1000.0, list[str](), list[str]()
        self.published = dict[bytes, LanAddresses]()
        here = LocalNetwork("home", "192.168.1.2")
        for name, stand_in in {
            "detect_local_network": lambda _addresses: here,
            "private_network": lambda _ip: HOME,
            "not_connected": lambda _dht, peers: tuple(peers),
            "dial_peers": self._dial,
            "LAN_ADDRESSES": SimpleNamespace(read=self._read),
            "time": SimpleNamespace(monotonic=lambda: self.now),
        }.items():
            monkeypatch.setattr(lan_peers, name, stand_in)
        swarm: Any = SimpleNamespace(mode="client", dht=None)
        self._peers = LanPeers(swarm, "sums", PeerCache())

    def _read(self, _dht: object, _run_id: str, *, ask: str) -> dict[bytes, LanAddresses]:
        self.reads.append(ask)
        return self.published

    def _dial(self, _dht: object, addresses: list[str]) -> tuple[str, ...]:
        """Nobody answers."""
        self.dialled += addresses
        return ()

    def poll(self, after: float = POLL_SECONDS) -> None:
        """Look once more, so many seconds later."""
        self.now += after
        self._peers._poll({b"its key": PEER_ID})


def test_who_has_published_no_address_nearby_is_not_looked_for_all_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    home = Neighbourhood(monkeypatch)
    home.poll()
    home.poll()
    assert home.reads == ["in turn"] and home.dialled == []
    home.published = {b"its key": lan_record("/ip4/192.168.1.7/tcp/31337")}
    home.poll(after=LOOK_AGAIN_SECONDS)
    assert len(home.reads) == 2 and home.dialled == [f"/ip4/192.168.1.7/tcp/31337/p2p/{PEER_ID}"]
    home.poll(after=LOOK_AGAIN_SECONDS)
    assert len(home.dialled) == 1, "it has not answered"
    home.poll(after=AGAIN_SECONDS)
    assert len(home.dialled) == 2


def test_the_record_of_our_own_address_can_be_stored() -> None:
    record = lan_record(tcp_multiaddr("192.168.1.3", 31337))
    assert MSGPackSerializer.loads(MSGPackSerializer.dumps(record.dict())) == {
        "addresses": ["/ip4/192.168.1.3/tcp/31337"]
    }
