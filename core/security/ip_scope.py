"""Whether an IP address is one that the whole internet may dial, or lies in somebody's own network."""

from __future__ import annotations

import ipaddress

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
IpNetwork = ipaddress.IPv4Network | ipaddress.IPv6Network

LOOPBACK: tuple[IpNetwork, ...] = (ipaddress.ip_network("127.0.0.0/8"), ipaddress.ip_network("::1/128"))
_GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")  # all that IANA gives out (RFC 4291)
_TEREDO = ipaddress.IPv6Network("2001::/32")  # through a relay to whatever is behind somebody's NAT (RFC 4380)
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")  # RFC 6052
_OWN_NAMES = ("localhost", "local", "internal", "home.arpa")  # RFC 6761, 6762 and 8375; ICANN has reserved "internal"


def is_public(host: str) -> bool:
    """Whether all the world may dial that IP address; a name counts as public until it is looked up."""
    try:
        return is_public_ip(ipaddress.ip_address(host))
    except ValueError:
        return host != "localhost"


def is_public_ip(ip: IpAddress) -> bool:
    """Whether all the world may dial that address: of one that contains an IPv4 address, that one decides."""
    found = embedded_ipv4(ip) or ip
    if isinstance(found, ipaddress.IPv6Address) and (found not in _GLOBAL_UNICAST or found in _TEREDO):
        return False
    return found.is_global and not found.is_multicast


def embedded_ipv4(ip: IpAddress) -> ipaddress.IPv4Address | None:
    """The IPv4 address to which that one leads: mapped (RFC 4291), 6to4 (RFC 3056) or NAT64 (RFC 6052)."""
    if isinstance(ip, ipaddress.IPv4Address):
        return None
    if ip in _NAT64:
        return ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
    return ip.ipv4_mapped or ip.sixtofour


def is_own_name(name: str) -> bool:
    """Whether a name by its form belongs to somebody's own network, such as ``router`` or ``printer.local``."""
    name = name.lower().rstrip(".")
    return "." not in name or name.endswith(tuple(f".{each}" for each in _OWN_NAMES))
