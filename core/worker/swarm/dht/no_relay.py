"""Serve no relay: our p2pd carries nobody's connections but our own.

The protocol is https://github.com/libp2p/specs/blob/master/relay/circuit-v2.md: a peer asks for a place on the relay
(RESERVE), or to be connected with somebody who has one (CONNECT), over a stream of the "hop" protocol.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging

from hivemind.p2p import P2P
from hivemind.p2p.p2p_daemon_bindings.datastructures import StreamInfo

HOP_PROTOCOL = "/libp2p/circuit/relay/0.2.0/hop"
REFUSAL = bytes([5, 0x08, 2, 0x28, 0xC8, 1])  # its length, then a HopMessage: type STATUS, status RESERVATION_REFUSED
GOODBYE_SECONDS = 5.0  # for the peer to end the stream: ended by us, it may be reset before the refusal has arrived
MAX_REQUEST_BYTES = 4096

log = logging.getLogger(__name__)


async def serve_no_relay(p2p: P2P) -> None:
    """Refuse whoever wants our p2pd to carry connections for it, from now on.

    WORKAROUND H55: a p2pd always starts a relay with libp2p's default limits: neither ``use_relay=False``, which only
    leaves a default of "on" as it is, nor its option ``-relayService=0`` ends that. A handler of ours takes the place
    of the relay's; we can still reach others through relays of theirs.
    """
    await p2p.add_binary_stream_handler(HOP_PROTOCOL, _refuse)


async def _refuse(peer: StreamInfo, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Refuse at once, whatever is asked for: a busy machine may hear the request only after any limit of ours."""
    with contextlib.closing(writer), contextlib.suppress(OSError, TimeoutError):
        writer.write(REFUSAL)
        async with asyncio.timeout(GOODBYE_SECONDS):
            await writer.drain()
            log.info("%s wanted us for a relay", peer.peer_id)
            while await reader.read(MAX_REQUEST_BYTES):
                pass
