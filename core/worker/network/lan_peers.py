"""Direct peers in our own home network: where its router does not lead us to them, they are dialled there.

A stranger's record makes us dial nothing but an ordinary port in our own part of a private network, a few in a
while, and only for a peer that we cannot reach otherwise. libp2p proves that whoever answers is that peer.
"""

from __future__ import annotations

import logging
import math
import random
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence

from core.run.multiaddr import readable_multiaddrs, split_peer
from core.worker.network.local_network import PrivateNetwork, detect_local_network, private_network
from core.worker.network.peer_cache import PeerCache
from core.worker.network.ports import port_of
from core.worker.swarm import LAN_ADDRESSES, LanAddresses, Swarm, dial_peers, not_connected

POLL_SECONDS = 15.0
AGAIN_SECONDS = 300.0  # until a peer is dialled again that did not answer
LOOK_AGAIN_SECONDS = 60.0  # until it is looked again for the address of one that has published none nearby
MAX_DIALLED = 4  # in one poll
FIRST_ORDINARY_PORT = 1024  # those below are the ports of routers, printers and the like

log = logging.getLogger(__name__)


class LanPeers:
    """Publishes our address in the home network, and dials the direct peers of the run that are in it, too."""

    def __init__(self, swarm: Swarm, run_id: str, peer_cache: PeerCache) -> None:
        self._swarm, self._run_id, self._peer_cache = swarm, run_id, peer_cache
        self._published_at = -math.inf
        self._due_at: dict[str, float] = {}

    def run(self, leaving: threading.Event, direct_peers: Callable[[], Mapping[bytes, str]]) -> None:
        """Publish and dial until ``leaving``, beginning at once: the first round is better with them.

        ``direct_peers`` gives the ids of others that can be reached, by the subkeys of their reports.
        """
        is_leaving = False
        while not is_leaving:
            self._poll(direct_peers())
            is_leaving = leaving.wait(POLL_SECONDS)

    def _poll(self, direct: Mapping[bytes, str]) -> None:
        here = detect_local_network(self._peer_cache.addresses)
        network = private_network(here.ip)
        if network is None:
            return
        if self._swarm.mode == "direct":
            self._publish(here.multiaddr(port_of(self._swarm.listen)))
        unconnected = not_connected(self._swarm.dht, [*direct.values()])
        if due := self._due(unconnected):
            found = self._lan_addresses(due, direct, network)
            self._put_off(due - {split_peer(each)[1] for each in found}, LOOK_AGAIN_SECONDS)
            self._dial(found)

    def _publish(self, address: str) -> None:
        if time.monotonic() - self._published_at > LAN_ADDRESSES.lifetime_seconds / 3:
            self._published_at = time.monotonic()
            LAN_ADDRESSES.publish(self._swarm, self._run_id, lan_record(address))

    def _due(self, peers: Sequence[str]) -> set[str]:
        """Those of the peers that have not been looked for in vain, nor dialled, for a while."""
        now = time.monotonic()
        self._due_at = {peer: at for peer, at in self._due_at.items() if now < at}
        return set(peers) - self._due_at.keys()

    def _put_off(self, peers: Iterable[str], seconds: float) -> None:
        self._due_at |= dict.fromkeys(peers, time.monotonic() + seconds)

    def _lan_addresses(self, peers: set[str], direct: Mapping[bytes, str], network: PrivateNetwork) -> list[str]:
        """The published multiaddrs of those peers that lie in our own network."""
        published = LAN_ADDRESSES.read(self._swarm.dht, self._run_id, ask="in turn")
        return [
            f"{address}/p2p/{peer}"
            for subkey, peer in direct.items()
            if subkey in published
            for address in published[subkey].addresses
            if peer in peers and is_within(address, network)
        ]

    def _dial(self, addresses: Sequence[str]) -> None:
        """Dial a random few of them: so nobody who publishes many wrong ones can hide the right ones for ever."""
        chosen = random.sample(addresses, min(MAX_DIALLED, len(addresses)))
        if not chosen:
            return
        answering_addresses = dial_peers(self._swarm.dht, chosen)
        log.info("LAN peers that answer: %s; of those that may be some: %s", answering_addresses, chosen)
        self._put_off((split_peer(each)[1] for each in chosen if each not in answering_addresses), AGAIN_SECONDS)


def lan_record(address: str) -> LanAddresses:
    """The record that publishes our address; plain text, for hivemind's serializer refuses subclasses of ``str``."""
    return LanAddresses(addresses=[str(address)])


def is_within(address: str, network: PrivateNetwork) -> bool:
    """Whether a multiaddr is an ordinary TCP port in that network, and nothing else."""
    for each in readable_multiaddrs([address]):
        if each != address or each.peer_id is not None:  # a stranger's text is dialled as it is
            return False
        is_there = each.ip is not None and each.ip.version == network.version and each.ip in network
        return is_there and each.transport == "tcp" and (each.port or 0) >= FIRST_ORDINARY_PORT
    return False
