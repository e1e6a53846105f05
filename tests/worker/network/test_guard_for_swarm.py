"""Where a run's files may come from depends on where its swarm is, and on nothing that the run says."""

from __future__ import annotations

import sys

import pytest

from core.run.multiaddr import Multiaddr
from core.security.address_guard import AddressGuard, AddressRefusedError
from core.worker.network.local_network import guard_for_swarm
from tests.support.environment.network_namespaces import Internet

PEER = "12D3KooWDpJ7As7BWAwRMfu1VU2WCqNjvq387JEYKDBj4kx6nXTN"


def guard_of(*hosts: str) -> AddressGuard:
    """For a swarm with peers at those IP addresses or names."""
    kinds = {host: "ip6" if ":" in host else "ip4" if host[-1].isdigit() else "dns4" for host in hosts}
    return guard_for_swarm([Multiaddr(f"/{kinds[host]}/{host}/tcp/31337/p2p/{PEER}") for host in hosts])


def is_let_through(guard: AddressGuard, host: str) -> bool:
    try:
        guard.refuse(host)
    except AddressRefusedError:
        return False
    return True


@pytest.mark.parametrize(
    "swarm",
    [
        ["8.8.8.8"],
        ["8.8.8.8", "127.0.0.1"],
        ["example.org"],
        ["127.0.0.1", "192.168.200.7"],
        ["10.255.255.1"],
        ["169.254.169.254"],
        ["100.64.0.1"],
        [],
    ],
)
@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "169.254.169.254", "192.0.2.1", "fe80::1%lo", "::ffff:127.0.0.1"])
def test_files_of_a_swarm_elsewhere_never_lead_to_this_computer(swarm: list[str], host: str) -> None:
    assert not is_let_through(guard_of(*swarm), host)
    assert is_let_through(guard_of(*swarm), "8.8.8.8")


def test_a_swarm_on_this_computer_may_have_its_files_here() -> None:
    guard = guard_of("127.0.0.1", "::1")
    assert all(
        is_let_through(guard, host) for host in ("127.0.0.1", "127.0.0.53", "::1", "::ffff:127.0.0.1", "8.8.8.8")
    )
    assert not any(is_let_through(guard, host) for host in ("192.168.1.1", "169.254.169.254", "fe80::1%lo"))


ASK = """
import sys
from core.run.multiaddr import tcp_multiaddr
from core.security.address_guard import AddressRefusedError
from core.worker.network.local_network import guard_for_swarm

guard = guard_for_swarm([tcp_multiaddr(host, 31337) for host in sys.argv[1].split(",")])
for host in sys.argv[2:]:
    try:
        guard.refuse(host)
        print(host)
    except AddressRefusedError:
        pass
"""


@pytest.mark.networks
def test_a_swarm_in_our_own_subnet_may_have_its_files_there_and_nowhere_else(net: Internet) -> None:
    here = net.router().host()  # in 192.168.1.0/24
    asked = ("192.168.1.1", "192.168.1.77", "192.168.2.1", "10.0.0.1", "127.0.0.1", "::1", "169.254.169.254")

    def let_through(swarm: str) -> list[str]:
        return here.run(sys.executable, "-c", ASK, swarm, *asked).split()

    assert let_through("192.168.1.50") == ["192.168.1.1", "192.168.1.77"]
    assert let_through("192.168.1.50,127.0.0.1,172.17.0.1") == ["192.168.1.1", "192.168.1.77"]
    assert let_through("192.168.1.50,8.8.8.8") == []
    assert let_through("192.168.2.50") == []
    assert let_through("127.0.0.1") == ["127.0.0.1", "::1"]
