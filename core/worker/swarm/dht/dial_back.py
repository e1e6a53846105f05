"""Test whether others can reach us: some of the swarm's peers are asked to dial us, and tell what came of it.

It all happens in the DHT's process, beside everything else; nothing waits for it.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial

from hivemind.dht import DHT, DHTNode
from hivemind.p2p import P2P, PeerID
from hivemind.p2p.p2p_daemon_bindings.utils import P2PDaemonError
from hivemind.utils.multiaddr import Multiaddr

from core.run.multiaddr import split_peer
from core.worker.swarm.dht.autonat import UNKNOWN, Answer, ask
from core.worker.swarm.dht.no_relay import serve_no_relay
from core.worker.swarm.dht.node import Swarm

MAX_PEERS_ASKED = 4
CONNECT_SECONDS = 5.0
DIAL_SECONDS = 18.0  # a p2pd gives up after 15
MAPPING_SECONDS = 9.0  # how long a router may take to open a port by itself (UPnP, NAT-PMP)
POLL_SECONDS = 0.5
REACHABILITY_TEST_SECONDS = CONNECT_SECONDS + MAPPING_SECONDS + DIAL_SECONDS

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ReachabilityResult:
    """How many of the peers that tried to dial us have ``reached`` us, at ``address``, and how many ``failed``."""

    reached: int = 0
    failed: int = 0
    address: str = ""

    @property
    def is_reachable(self) -> bool:
        """Whether more peers reached us than failed to."""
        return self.reached > self.failed

    @property
    def is_unreachable(self) -> bool:
        """Whether somebody tried, and no majority reached us."""
        return 0 < self.failed >= self.reached


def probe_reachability(swarm: Swarm, first: Sequence[str], listen: Sequence[str]) -> Future[ReachabilityResult]:
    """Ask the peers at the ``first`` addresses and other direct ones to dial us, where we listen.

    In client mode nothing of us listens, so something does in our place, under a name of its own.
    """
    testing = partial(_choose_and_test, first=tuple(first), listen=tuple(listen))
    found: Future[ReachabilityResult] = swarm.dht.run_coroutine(testing, return_future=True)
    return found


async def _choose_and_test(
    _dht: DHT, node: DHTNode, *, first: Sequence[str], listen: Sequence[str]
) -> ReachabilityResult:
    peers = await _direct_peers(node, first)
    if not node.protocol.client_mode:
        return await _test(node.protocol.p2p, peers)
    async with _temporary_listener(listen) as p2p:
        return await _test(p2p, peers)


async def _direct_peers(node: DHTNode, first: Sequence[str]) -> dict[PeerID, list[Multiaddr]]:
    """The peers to ask: those that answered first, then others that can be reached themselves."""
    peers: dict[PeerID, list[Multiaddr]] = {}
    for address in first:
        place, peer_id = split_peer(address)
        if peer_id and "/p2p-circuit" not in place:
            peers.setdefault(PeerID.from_base58(peer_id), []).append(Multiaddr(place))
    direct = node.protocol.routing_table.peer_id_to_uid
    for peer in await node.protocol.p2p.list_peers():
        if peer.peer_id in direct:
            peers.setdefault(peer.peer_id, list(peer.addrs))
    return dict(list(peers.items())[:MAX_PEERS_ASKED])


@contextlib.asynccontextmanager
async def _temporary_listener(listen: Sequence[str]) -> AsyncIterator[P2P]:
    """A p2pd that listens where we would, with an identity that nobody sees again."""
    p2p = await P2P.create(host_maddrs=listen, dht_mode="client", nat_port_map=True, auto_nat=False, use_relay=False)
    try:
        await serve_no_relay(p2p)
        yield p2p
    finally:
        await p2p.shutdown()


async def _test(p2p: P2P, peers: dict[PeerID, list[Multiaddr]]) -> ReachabilityResult:
    """The better of what they find now, and once the router has opened a port for us."""
    known = await _own_addresses(p2p)
    connected = [peer for peer, is_so in zip(peers, await _connect(p2p, peers), strict=True) if is_so]
    now = asyncio.create_task(_ask_all(p2p, connected, known))
    mapped = asyncio.create_task(_ask_once_mapped(p2p, connected, known))
    best = ReachabilityResult()
    try:
        for finished in asyncio.as_completed((now, mapped)):
            result = await finished
            best = max(best, result, key=lambda each: (each.is_reachable, each.failed))
            if best.is_reachable:
                break
    finally:
        now.cancel()
        mapped.cancel()
    return best


async def _own_addresses(p2p: P2P) -> tuple[Multiaddr, ...]:
    """Our addresses without our peer id at the end, with which nobody would dial them."""
    _peer_id, addresses = await p2p._client.identify()
    return tuple(addresses)


async def _connect(p2p: P2P, peers: dict[PeerID, list[Multiaddr]]) -> list[bool]:
    async def connect(peer: PeerID, addresses: list[Multiaddr]) -> bool:
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                await p2p._client.connect(peer, addresses)
        except (P2PDaemonError, OSError) as error:
            log.info("%s cannot be asked: %s", peer, error)
            return False
        return True

    return await asyncio.gather(*(connect(peer, addresses) for peer, addresses in peers.items()))


async def _ask_once_mapped(p2p: P2P, peers: Sequence[PeerID], known: Sequence[Multiaddr]) -> ReachabilityResult:
    for _ in range(int(MAPPING_SECONDS / POLL_SECONDS)):
        await asyncio.sleep(POLL_SECONDS)
        addresses = await _own_addresses(p2p)
        if not set(addresses) <= set(known):
            return await _ask_all(p2p, peers, addresses)
    return ReachabilityResult()


async def _ask_all(p2p: P2P, peers: Sequence[PeerID], addresses: Sequence[Multiaddr]) -> ReachabilityResult:
    """Ask all peers at the same time; a majority that has reached us is enough."""

    async def answer(peer: PeerID) -> Answer:
        try:
            async with asyncio.timeout(DIAL_SECONDS):
                return await ask(p2p, peer, addresses)
        except TimeoutError:
            return UNKNOWN

    answers: list[Answer] = []
    result = ReachabilityResult()
    for answered in asyncio.as_completed([answer(peer) for peer in peers]):
        answers.append(await answered)
        result = tally(answers)
        if 2 * result.reached > len(peers):
            break
    log.info("asked %d peers to dial us at %s: %s", len(peers), ", ".join(map(str, addresses)), result)
    return result


def tally(answers: Sequence[Answer]) -> ReachabilityResult:
    """What follows from all answers: ``reached`` are those who name the address that most of them name.

    Whoever has reached us elsewhere contradicts them, as one who has failed does: so no single peer of several decides
    what we announce.
    """
    reached = Counter(answer.address for answer in answers if answer.verdict == "reached")
    failed = sum(1 for answer in answers if answer.verdict == "failed")
    for address, votes in reached.most_common(1):
        return ReachabilityResult(votes, failed + reached.total() - votes, address)
    return ReachabilityResult(failed=failed)
