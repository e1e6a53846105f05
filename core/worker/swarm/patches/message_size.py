"""Limit how long a message of a stream may be that hivemind receives from strangers."""

from __future__ import annotations

import asyncio

from hivemind.p2p.p2p_daemon import P2P

MAX_MESSAGE_BYTES = 2**26  # the longest of its own, a part of an exchange, has half a megabyte


def limit_message_size() -> None:
    """Have hivemind's ``P2P`` refuse a message of a stream that is longer than ``MAX_MESSAGE_BYTES``.

    WORKAROUND H48: hivemind takes as many bytes into memory as a stranger has announced, before anybody sees them.
    """
    P2P.receive_raw_data = staticmethod(_receive)


async def _receive(reader: asyncio.StreamReader) -> bytes:
    """The next message; raises ValueError for one that is too long, IncompleteReadError where the stream ends."""
    length = int.from_bytes(await reader.readexactly(P2P.HEADER_LEN), P2P.BYTEORDER)
    if length > MAX_MESSAGE_BYTES:
        raise ValueError(f"a message of {length} bytes is longer than any can be")
    return await reader.readexactly(length)
