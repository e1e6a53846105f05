"""Which addresses answer, and how others may reach us; without torch, so that a wrong address fails early."""

from __future__ import annotations

import socket
from collections.abc import Sequence

from core.errors import ErrorKind, UserError
from core.localizable import localized
from core.protocol.commands import NetworkMode
from core.protocol.events import Network
from core.run.multiaddr import Multiaddr, is_loopback, readable_multiaddrs, tcp_multiaddr
from core.worker.network.tcp_probe import tcp_probe

DIAL_SECONDS = 6.0


def answering_addresses(addresses: Sequence[str]) -> tuple[str, ...]:
    """The addresses whose host accepts a TCP connection, dialled all at once; others than plain TCP are kept.

    libp2p would take minutes to give up. Raises UserError if nobody answers.
    """
    answers = tcp_probe(addresses, DIAL_SECONDS)
    alive = tuple(address for address, answer in answers.items() if answer == "open")
    if not alive:
        raise UserError(ErrorKind.NOBODY_ANSWERS)
    return alive


def is_dead_ipv6(address: str, alive: Sequence[str]) -> bool:
    """Whether an address of IPv6 did not answer while one of IPv4 did."""
    is_ipv6 = any(each.host_protocol == "ip6" for each in readable_multiaddrs([address]))
    return is_ipv6 and address not in alive and any(each.host_protocol == "ip4" for each in readable_multiaddrs(alive))


def is_announced(address: str, told: Sequence[str]) -> bool:
    """Whether others are told that address, or none of its kind (IPv4, IPv6) at all."""
    places = {each.place for each in readable_multiaddrs(told)}
    protocols = {each.host_protocol for each in readable_multiaddrs([address])}
    return address in places or not any(place.host_protocol in protocols for place in places)


def all_interfaces(port: int) -> tuple[Multiaddr, ...]:
    """The multiaddrs that listen on all interfaces of this computer; port 0 is any free port."""
    return tuple(tcp_multiaddr(host, port) for host in ("0.0.0.0", *(("::",) if socket.has_ipv6 else ())))


def certain_network(wish: NetworkMode, addresses: Sequence[str]) -> Network | None:
    """How to take part where nothing has to be tested: the person's wish, or a swarm on this computer."""
    if wish == "client":
        return Network(mode="client", reason=localized("You chose it: this computer only connects outwards."))
    if all(is_loopback(address) for address in addresses):
        return Network(mode="direct", reason=localized("The swarm is on this computer."))
    return None
