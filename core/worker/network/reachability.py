"""Which addresses answer, and how others may reach us; without torch, so that a wrong address fails early."""

from __future__ import annotations

import socket
from collections.abc import Sequence

from core.errors import ErrorKind, UserError
from core.protocol.commands import NetworkMode
from core.protocol.events import Network
from core.protocol.localizable import localized
from core.run.multiaddr import is_loopback
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
    return address not in alive and address.startswith("/ip6/") and any(each.startswith("/ip4/") for each in alive)


def is_announced(address: str, told: Sequence[str]) -> bool:
    """Whether others are told that address, or none of its IP version at all."""
    kind = address.split("/")[1]
    places = {each.partition("/p2p/")[0] for each in told}
    return address in places or not any(place.startswith(f"/{kind}/") for place in places)


def all_interfaces(port: int) -> tuple[str, ...]:
    """The multiaddrs of all interfaces with that TCP port; 0 is any free port."""
    return (f"/ip4/0.0.0.0/tcp/{port}", *((f"/ip6/::/tcp/{port}",) if socket.has_ipv6 else ()))


def certain_network(wish: NetworkMode, addresses: Sequence[str]) -> Network | None:
    """How to take part where nothing has to be tested: the person's wish, or a swarm on this computer."""
    if wish == "client":
        return Network(mode="client", reason=localized("You chose it: this computer only connects outwards."))
    if all(is_loopback(address) for address in addresses):
        return Network(mode="direct", reason=localized("The swarm is on this computer."))
    return None
