"""Count the bytes of the messages that this peer has sent and received, over all its processes.

They tell how far a download or an exchange is, and that others are alive. What the line carries for it is more: an
owner's figures are the kernel's where it tells them (`core.worker.training.own_traffic`).
"""

from __future__ import annotations

import asyncio
import multiprocessing
from collections.abc import Awaitable, Callable
from typing import Any

from hivemind.p2p.p2p_daemon import P2P
from hivemind.p2p.p2p_daemon_bindings.control import ControlClient

from core.worker.delegation.download_limit import downloads

_Handler = Callable[[bytes, Any], Awaitable[bytes]]


class _Counters:
    """In shared memory: the DHT process and the averagers add to the same numbers after the fork."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("fork")
        self.sent, self.received, self.streamed = (context.Value("q", 0) for _ in range(3))


_counters: _Counters | None = None  # made when counting begins, not on import: a process forked before has its own


def sent_bytes() -> int:
    """Bytes that hivemind's messages have sent since the worker began; libp2p's own framing is not in it."""
    return 0 if _counters is None else int(_counters.sent.value)


def received_bytes() -> int:
    """Bytes that hivemind's messages have received since the worker began, without libp2p's own framing."""
    return 0 if _counters is None else int(_counters.received.value)


def streamed_bytes() -> int:
    """Those of both that were in streams: averages, states and the search for a group; not the calls of the DHT."""
    return 0 if _counters is None else int(_counters.streamed.value)


class ExchangeShare:
    """How much of an exchange is over, by the bytes that have been sent and received since it was first looked at."""

    def __init__(self) -> None:
        self._before: int | None = None

    def look(self, is_exchanging: bool, size_bytes: int) -> float | None:
        """The share of what is sent and received, so many bytes each way; ``None`` between exchanges."""
        moved = sent_bytes() + received_bytes()
        self._before = (moved if self._before is None else self._before) if is_exchanging else None
        return None if self._before is None else min(1.0, (moved - self._before) / (2 * size_bytes))


def count_bytes() -> None:
    """Wrap hivemind's two ways to the wire: streams (``P2P``) and unary calls (``ControlClient``).

    A stream is read no faster than the owner's download limit allows. Calls are short, and are not kept waiting.

    WORKAROUND H1: hivemind counts no bytes (its issue #520).
    """
    global _counters
    _counters = counters = _Counters()
    send, receive = P2P.send_raw_data, P2P.receive_raw_data
    call, add_handler = ControlClient.call_unary_handler, ControlClient.add_unary_handler

    async def send_raw_data(data: bytes, writer: asyncio.StreamWriter, **kwargs: Any) -> None:
        _add(counters.streamed, _add(counters.sent, data))
        await send(data, writer, **kwargs)

    async def receive_raw_data(reader: asyncio.StreamReader) -> bytes:
        data = _add(counters.streamed, _add(counters.received, await receive(reader)))
        await downloads().until_paid(len(data))
        return data

    async def call_unary_handler(self: Any, peer_id: Any, proto: str, data: bytes) -> bytes:
        return _add(counters.received, await call(self, peer_id, proto, _add(counters.sent, data)))

    async def add_unary_handler(self: Any, proto: str, handler: _Handler, balanced: bool = False) -> None:
        async def counted(request: bytes, remote_id: Any) -> bytes:
            return _add(counters.sent, await handler(_add(counters.received, request), remote_id))

        await add_handler(self, proto, counted, balanced)

    P2P.send_raw_data, P2P.receive_raw_data = staticmethod(send_raw_data), staticmethod(receive_raw_data)
    ControlClient.call_unary_handler, ControlClient.add_unary_handler = call_unary_handler, add_unary_handler


def _add(counter: Any, data: bytes) -> bytes:
    with counter.get_lock():
        counter.value += len(data)
    return data
