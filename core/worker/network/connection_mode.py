"""The ways to take part in a swarm: directly reachable at told addresses, or by outgoing connections only."""

from __future__ import annotations

from dataclasses import dataclass

from core.protocol.commands import NetworkMode
from core.protocol.events import Network
from core.worker.network.local_network import LocalNetwork
from core.worker.network.network_messages import being_tested
from core.worker.network.ports import port_of
from core.worker.network.reachability import is_announced
from core.worker.network.reachability_cache import ReachabilityCache
from core.worker.swarm import Swarm


@dataclass(frozen=True)
class ConnectionMode:
    """A way to take part, and the addresses that others are told; none: all that we have."""

    network: Network
    announce: tuple[str, ...] = ()

    def is_that_of(self, swarm: Swarm) -> bool:
        """Whether we take part in that swarm in this mode already."""
        if self.network.mode != swarm.mode or swarm.mode == "client":
            return self.network.mode == swarm.mode
        return not self.announce or is_announced(self.announce[0], swarm.addresses())


def mode_at(network: Network, address: str, here: LocalNetwork, port: int) -> ConnectionMode:
    """Others are told where we were reached, and peers in our own network where we are in it.

    ``address`` is empty where nobody has reached us. A port that the router has opened by itself is another
    one the next time; p2pd announces it.
    """
    if network.mode == "client" or not address or port_of((address,)) != port:
        return ConnectionMode(network)
    inside = (here.multiaddr(port),) if here.ip else ()
    return ConnectionMode(network, tuple(dict.fromkeys((address, *inside))))


def first_mode(wish: NetworkMode, known: ReachabilityCache, here: LocalNetwork, port: int) -> ConnectionMode:
    """How to take part until a test has an answer: as the person wishes, or as it was here the last time."""
    result = known.recall(here.network, port)
    address = result.address if result else ""
    return mode_at(being_tested(wish, address), address, here, port)
