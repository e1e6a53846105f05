"""Connections of our own p2pd with peers whose addresses we know: dial them, ping them, list them."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
from collections.abc import Sequence
from functools import partial

from hivemind.dht import DHT, DHTNode
from hivemind.p2p import PeerID
from hivemind.utils.multiaddr import Multiaddr

from core.run.multiaddr import split_peer

PING_SECONDS = 8.0

log = logging.getLogger(__name__)


def ping_peers(dht: DHT, addresses: Sequence[str]) -> bool:
    """Whether anybody at those multiaddrs answers us; whoever does is in our routing table again.

    WORKAROUND H31: hivemind drops peers that do not answer from its routing table and never looks for them again,
    so after a cut of the line it stays alone for ever.
    """
    if not addresses:
        return False
    try:
        pinging = dht.run_coroutine(partial(_ping_all, addresses=tuple(addresses)), return_future=True)
        return bool(pinging.result(PING_SECONDS))
    except Exception as error:
        log.info("no peer could be pinged: %r", error)
        return False


def dial_peers(dht: DHT, addresses: Sequence[str]) -> tuple[str, ...]:
    """Those multiaddrs whose peers answer us, there or wherever else libp2p has found them."""
    try:
        dialling = dht.run_coroutine(partial(_dial_all, addresses=tuple(addresses)), return_future=True)
        return tuple(dialling.result(2 * PING_SECONDS))
    except Exception as error:
        log.info("no peer could be dialled: %r", error)
        return ()


def connected_addresses(dht: DHT, peers: Sequence[str]) -> tuple[str, ...]:
    """Where our p2pd is connected with those peers, which are given by their ids."""
    try:
        listing = dht.run_coroutine(partial(_connected, peers=frozenset(peers)), return_future=True)
        return tuple(listing.result(PING_SECONDS))
    except Exception as error:
        log.info("the connections could not be listed: %r", error)
        return ()


def not_connected(dht: DHT, peers: Sequence[str]) -> tuple[str, ...]:
    """Those of the peers, given by their ids, with whom our p2pd is not connected."""
    connected = {split_peer(address)[1] for address in connected_addresses(dht, peers)}
    return tuple(peer for peer in peers if peer not in connected)


async def _ping_all(_dht: DHT, node: DHTNode, addresses: tuple[str, ...]) -> bool:
    """In the DHT process: forget old failures, dial and ping; who is silent for half of the time is not waited for.

    Where nobody had failed, nobody was dropped whom one would have to look for: then the answer of one will do.
    """
    has_lost = bool(node.blacklist.ban_counter) or not node.protocol.routing_table.uid_to_peer_id
    if not has_lost:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PING_SECONDS / 4):
                if await _answers(node, random.choice(addresses)):
                    return True
    node.blacklist.clear()
    asked = [asyncio.create_task(_answers(node, address)) for address in addresses]
    answered, silent = await asyncio.wait(asked, timeout=PING_SECONDS / 2)
    for each in silent:
        each.cancel()
    has_answer = any(each.result() for each in answered)
    if has_answer:
        await node.find_nearest_nodes([node.node_id])  # the others are known through whoever answers
    return has_answer


async def _answers(node: DHTNode, address: str) -> bool:
    place, name = split_peer(address)
    with contextlib.suppress(Exception):
        peer = PeerID.from_base58(name)
        with contextlib.suppress(Exception):
            async with asyncio.timeout(PING_SECONDS / 2):
                await node.p2p._client.connect(peer, [Multiaddr(place)])
        return await node.protocol.call_ping(peer) is not None
    return False


async def _dial_all(_dht: DHT, node: DHTNode, addresses: tuple[str, ...]) -> list[str]:
    answers = await asyncio.gather(*(_is_reached(node, address) for address in addresses))
    return [address for address, answer in zip(addresses, answers, strict=True) if answer]


async def _is_reached(node: DHTNode, address: str) -> bool:
    """Whether the peer answers; the address itself is dialled only if there is no other way to it."""
    with contextlib.suppress(Exception):
        peer = PeerID.from_base58(split_peer(address)[1])
        if await node.protocol.call_ping(peer) is None and not await _answers(node, address):
            return False
        node.blacklist.register_success(peer)
        return True
    return False


async def _connected(_dht: DHT, node: DHTNode, peers: frozenset[str]) -> list[str]:
    return [
        f"{address}/p2p/{peer.peer_id.to_base58()}"
        for peer in await node.p2p.list_peers()
        if peer.peer_id.to_base58() in peers
        for address in peer.addrs
    ]
