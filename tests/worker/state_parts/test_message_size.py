"""A stranger cannot have us read more into memory than any message has."""

from __future__ import annotations

import asyncio

import pytest
from hivemind.p2p.p2p_daemon import P2P

from core.worker.swarm.patches import message_size


def received(announced_bytes: int, sent: bytes) -> bytes:
    """What is read of a message that begins like that."""

    async def read() -> bytes:
        reader = asyncio.StreamReader()
        reader.feed_data(announced_bytes.to_bytes(P2P.HEADER_LEN, P2P.BYTEORDER) + sent)
        reader.feed_eof()
        return await message_size._receive(reader)

    return asyncio.run(read())


def test_a_message_is_read_to_its_end() -> None:
    assert received(5, b"hello, and more") == b"hello"


def test_ten_gigabytes_are_refused_before_any_is_read() -> None:
    with pytest.raises(ValueError, match="longer than any can be"):
        received(10 * 2**30, b"x" * 1000)
