"""Who can be reached, and how others may reach us; without torch, so that a wrong address is known early."""

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


def answering(addresses: Sequence[str]) -> tuple[str, ...]:
    """The addresses whose host accepts a connection, dialled all at once; what is no plain TCP is kept.

    libp2p would take minutes to give up. Raises ClientError if nobody answers.
    """
    answers = tcp_probe(addresses, DIAL_SECONDS)
    alive = tuple(address for address, answer in answers.items() if answer == "open")
    if not alive:
        raise UserError(ErrorKind.NOBODY_ANSWERS)
    return alive


def is_dead_ipv6(address: str, alive: Sequence[str]) -> bool:
    """Whether that address did not answer, and is of IPv6, while one of IPv4 did."""
    return address not in alive and address.startswith("/ip6/") and any(each.startswith("/ip4/") for each in alive)


def is_told(address: str, told: Sequence[str]) -> bool:
    """Whether others are told that address, or need not be: they are told none of its kind (IPv4, IPv6)."""
    kind = address.split("/")[1]
    places = {each.partition("/p2p/")[0] for each in told}
    return address in places or not any(place.startswith(f"/{kind}/") for place in places)


def everywhere(port: int) -> tuple[str, ...]:
    """All interfaces of this computer; 0 is any free port."""
    return (f"/ip4/0.0.0.0/tcp/{port}", *((f"/ip6/::/tcp/{port}",) if socket.has_ipv6 else ()))


def settled_network(wish: NetworkMode, addresses: Sequence[str]) -> Network | None:
    """How to take part, where the person's wish or the place leaves nothing to find out."""
    if wish == "client":
        return Network(mode="client", reason=localized("You chose it: this computer only connects outwards."))
    if all(is_loopback(address) for address in addresses):
        return Network(mode="direct", reason=localized("The swarm is on this computer."))
    return None
