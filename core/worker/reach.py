"""Who can be reached, and how others may reach us."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from core.messages import Network, NetworkMode
from core.problems import ClientError, Problem
from core.worker.swarm import is_loopback

DIAL_SECONDS = 6.0


def answering(addresses: Sequence[str]) -> tuple[str, ...]:
    """The addresses whose host accepts a connection, dialled all at once; what is no plain TCP is kept.

    libp2p would take minutes to give up. Raises ClientError if nobody answers.
    """
    with ThreadPoolExecutor(max_workers=16) as pool:
        answers = list(pool.map(_accepts, addresses))
    alive = tuple(address for address, accepts in zip(addresses, answers, strict=True) if accepts)
    if not alive:
        raise ClientError(Problem.NOBODY_ANSWERS)
    return alive


def _accepts(address: str) -> bool:
    parts = address.split("/")
    if len(parts) < 5 or parts[1] not in ("ip4", "ip6", "dns", "dns4", "dns6") or parts[3] != "tcp":
        return True
    try:
        with socket.create_connection((parts[2], int(parts[4])), DIAL_SECONDS):
            return True
    except OSError:
        return False


def network_for(wish: NetworkMode, addresses: Sequence[str]) -> Network:
    """How to take part. Outgoing connections only, unless the person or the place says better.

    A peer that listens but cannot be reached makes every round wait; one in client mode never does.
    """
    if wish == "direct":
        return Network(mode="direct", reason="You chose it: others may connect to this computer.")
    if wish == "client":
        return Network(mode="client", reason="You chose it: this computer only connects outwards.")
    if all(is_loopback(address) for address in addresses):
        return Network(mode="direct", reason="The swarm is on this computer.")
    return Network(
        mode="client", reason="This computer only connects outwards, which works behind any router."
    )
