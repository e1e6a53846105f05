"""The network that this computer is in: a fingerprint, our own address in it, VPNs and private ranges."""

from __future__ import annotations

import hashlib
import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from core.run.multiaddr import Multiaddr, readable_multiaddrs, tcp_multiaddr
from core.security.address_guard import AddressGuard
from core.security.ip_scope import LOOPBACK, is_public
from core.worker.delegation.network import own_address

_PUBLIC_DNS = ("8.8.8.8", "2001:4860:4860::8888")  # nothing is sent there: the system only chooses a route
_PROC = Path("/proc/net")
_VPN_PREFIXES = ("tun", "tap", "wg", "ppp", "utun", "ipsec", "tailscale", "zt", "nordlynx", "proton", "mullvad")
_PRIVATE_RANGES = tuple(
    map(ipaddress.ip_network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"))
)  # RFC 1918 and unique local addresses

PrivateNetwork = ipaddress.IPv4Network | ipaddress.IPv6Network


@dataclass(frozen=True)
class LocalNetwork:
    """``network`` is a hash that tells networks apart; ``ip`` is our own address there, empty without one.

    ``vpn`` is the interface of a VPN through which our way out leads; empty where it leads through none.
    """

    network: str
    ip: str
    vpn: str = ""

    @property
    def is_public(self) -> bool:
        """Whether our own address is one that the whole internet may dial."""
        return bool(self.ip) and is_public(self.ip)

    def multiaddr(self, port: int) -> Multiaddr:
        """The multiaddr of that TCP port at our own address."""
        return tcp_multiaddr(self.ip, port)


def detect_local_network(addresses: Sequence[str]) -> LocalNetwork:
    """The network through which those multiaddrs are reached; nothing is sent."""
    ip = next(filter(None, map(own_address, (*_hosts_of(addresses), *_PUBLIC_DNS))), "")
    # Privacy extensions (RFC 8981) change the second half of an IPv6 address every day.
    own = str(ipaddress.ip_network(f"{ip}/64", strict=False)) if ":" in ip else ip
    marks = f"{own} {_ipv4_router()} {_ipv6_router()}"
    return LocalNetwork(hashlib.sha256(marks.encode()).hexdigest()[:16], ip, _vpn_with(ip))


def own_ipv6() -> str:
    """The global IPv6 address with which this computer would go out; empty if it has none."""
    ip = own_address(_PUBLIC_DNS[1])
    return ip if ip and is_public(ip) else ""


def private_network(ip: str) -> PrivateNetwork | None:
    """The subnet of our own address, if it is private (RFC 1918, RFC 4193); else ``None``."""
    for each in (each for interface in psutil.net_if_addrs().values() for each in interface):
        if each.address == ip and each.netmask:
            size = int(ipaddress.ip_address(each.netmask)).bit_count()
            network = ipaddress.ip_network(f"{ip}/{size}", strict=False)
            return network if any(_is_part(network, home) for home in _PRIVATE_RANGES) else None
    return None


def guard_for_swarm(addresses: Sequence[Multiaddr]) -> AddressGuard:
    """Where files that the run of a swarm names may come from: the internet.

    Where the swarm is in our own private subnet, from there, too; where it is on this very computer, from here. Who
    has described the run makes no difference: a run file may be a stranger's as well.
    """
    if not addresses or any(address.is_public for address in addresses):
        return AddressGuard()
    if all(address.is_loopback for address in addresses):
        return AddressGuard(LOOPBACK)
    subnet = private_network(detect_local_network(addresses).ip)
    if subnet is None or not any(address.ip in subnet for address in addresses if address.ip is not None):
        return AddressGuard()
    return AddressGuard((subnet,))


def _vpn_with(ip: str) -> str:
    """The interface of a VPN that has this private address; empty if there is none."""
    if not ip or is_public(ip):
        return ""
    names = (name for name, addresses in psutil.net_if_addrs().items() for each in addresses if each.address == ip)
    return next((name for name in names if name.lower().startswith(_VPN_PREFIXES)), "")


def _is_part(network: PrivateNetwork, of: PrivateNetwork) -> bool:
    return network.version == of.version and network[0] in of and network[-1] in of


def _hosts_of(addresses: Sequence[str]) -> list[str]:
    return [address.host for address in readable_multiaddrs(addresses) if address.ip is not None]


def _ipv4_router() -> str:
    for _device, destination, gateway, flags in (row[:4] for row in _rows("route")):
        if destination == "00000000" and int(flags, 16) & 2:
            return gateway
    return ""


def _ipv6_router() -> str:
    for row in _rows("ipv6_route"):
        if row[0] == "0" * 32 and row[1] == "00" and int(row[4], 16):
            return row[4]
    return ""


def _rows(table: str) -> list[list[str]]:
    """The kernel's table without its heading; empty where this system has none."""
    try:
        lines = (_PROC / table).read_text().splitlines()
    except OSError:
        return []
    return [line.split() for line in lines if line.split() and not line.startswith("Iface")]
