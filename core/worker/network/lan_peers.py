"""Direct peers in our own home network: where its router does not lead us to them, they are dialled there.

A stranger's word makes us dial nothing but an ordinary port in our own part of a private network, a few in a
while, and only for a peer that we cannot reach otherwise. libp2p proves that whoever answers is that peer.
"""

from __future__ import annotations

import ipaddress
import logging
import math
import random
import time
from collections.abc import Mapping, Sequence

from core.worker.network.local_network import PrivateNetwork, detect_local_network, private_network
from core.worker.network.peer_cache import PeerCache
from core.worker.network.ports import port_of
from core.worker.swarm import LAN_ADDRESSES, LanAddresses, Swarm, meet, not_connected

LOOK_SECONDS = 15.0
AGAIN_SECONDS = 300.0  # until a peer is dialled again that did not answer
MOST_DIALLED = 4  # in one look
FIRST_ORDINARY_PORT = 1024  # those below are the ports of routers, printers and the like

log = logging.getLogger(__name__)


class LanPeers:
    """Tells them where we are, and meets them."""

    def __init__(self, swarm: Swarm, run_id: str, acquaintances: PeerCache) -> None:
        self._swarm, self._run_id, self._acquaintances = swarm, run_id, acquaintances
        self._told_at = -math.inf
        self._dialled_at: dict[str, float] = {}

    def look(self, direct: Mapping[bytes, str]) -> None:
        """``direct`` are the peer ids of others that can be reached, by the subkeys of their reports."""
        here = detect_local_network(self._acquaintances.addresses)
        network = private_network(here.ip)
        if network is None:
            return
        if self._swarm.mode == "direct":
            self._tell(here.multiaddr(port_of(self._swarm.listen)))
        strangers = not_connected(self._swarm.dht, [*direct.values()])
        if due := self._due(strangers):
            self._meet(self._near(due, direct, network))

    def _tell(self, address: str) -> None:
        if time.monotonic() - self._told_at > LAN_ADDRESSES.lifetime_seconds / 3:
            self._told_at = time.monotonic()
            LAN_ADDRESSES.publish(self._swarm, self._run_id, LanAddresses(addresses=[address]))

    def _due(self, peers: Sequence[str]) -> set[str]:
        """Those that have not been dialled for a while."""
        now = time.monotonic()
        self._dialled_at = {peer: at for peer, at in self._dialled_at.items() if now - at < AGAIN_SECONDS}
        return set(peers) - self._dialled_at.keys()

    def _near(self, peers: set[str], direct: Mapping[bytes, str], network: PrivateNetwork) -> list[str]:
        """The multiaddrs of those peers that may lie in our network."""
        nearby = LAN_ADDRESSES.read(self._swarm.dht, self._run_id)
        return [
            f"{address}/p2p/{peer}"
            for subkey, peer in direct.items()
            if subkey in nearby
            for address in nearby[subkey].addresses
            if peer in peers and is_within(address, network)
        ]

    def _meet(self, addresses: Sequence[str]) -> None:
        """Some of them, by lot: so nobody who tells many wrong ones can hide the right ones for ever."""
        chosen = random.sample(addresses, min(MOST_DIALLED, len(addresses)))
        if not chosen:
            return
        met = meet(self._swarm.dht, chosen)
        log.info("neighbours that answer: %s; of those that may be some: %s", met, chosen)
        now = time.monotonic()
        self._dialled_at |= {each.rpartition("/")[2]: now for each in chosen if each not in met}


def is_within(address: str, network: PrivateNetwork) -> bool:
    """Whether a multiaddr is an ordinary TCP port in that network, and nothing else."""
    try:
        kind, host, protocol, port = address.split("/")[1:]
        is_there = address[:1] == "/" and ipaddress.ip_address(host) in network
        is_ordinary = FIRST_ORDINARY_PORT <= int(port) < 65536 and port == str(int(port))
    except ValueError:
        return False
    return is_there and is_ordinary and (kind, protocol) == (f"ip{network.version}", "tcp")
