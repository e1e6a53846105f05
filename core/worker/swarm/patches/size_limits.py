"""Limit how long what hivemind receives from strangers may be: a message of a stream, and a peer id."""

from __future__ import annotations

import asyncio
from typing import Any

from hivemind.p2p import PeerID
from hivemind.p2p.p2p_daemon import P2P

MAX_MESSAGE_BYTES = 2**26  # the longest of its own, a part of an exchange, has half a megabyte
MAX_PEER_ID_BYTES = 64  # libp2p's have 42 at the most


def limit_message_size() -> None:
    """Have hivemind's ``P2P`` refuse a message of a stream that is longer than ``MAX_MESSAGE_BYTES``.

    WORKAROUND H48: hivemind takes as many bytes into memory as a stranger has announced, before anybody sees them.
    """
    P2P.receive_raw_data = staticmethod(_receive)


def limit_peer_ids() -> None:
    """Have hivemind's ``PeerID`` refuse, with a ValueError, what is no peer id, before it is encoded.

    WORKAROUND H82: whatever a stranger names as somebody's peer id is encoded in base58, which takes eleven seconds for
    100 kB and a hundred times as long for 1 MB. Meanwhile the DHT, or an averager, answers nobody. A text is taken for
    a peer id, too, until p2pd is asked for a connection to it.
    """
    make = PeerID.__init__

    def __init__(self: PeerID, peer_id_bytes: bytes) -> None:  # noqa: N807 - it takes the place of hivemind's
        if not is_peer_id(peer_id_bytes):
            raise ValueError("no peer has such an id")
        make(self, peer_id_bytes)

    PeerID.__init__ = __init__


def is_peer_id(named: Any) -> bool:
    """Whether that may be a peer id, as bytes: it is no longer than any."""
    return isinstance(named, bytes) and len(named) <= MAX_PEER_ID_BYTES


async def _receive(reader: asyncio.StreamReader) -> bytes:
    """The next message; raises ValueError for one that is too long, IncompleteReadError where the stream ends."""
    length = int.from_bytes(await reader.readexactly(P2P.HEADER_LEN), P2P.BYTEORDER)
    if length > MAX_MESSAGE_BYTES:
        raise ValueError(f"a message of {length} bytes is longer than any can be")
    return await reader.readexactly(length)
