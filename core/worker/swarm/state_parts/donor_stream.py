"""A newcomer's end of the stream to one donor, which may say anything, at any length, or nothing."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from typing import Any

from hivemind.proto import averaging_pb2, runtime_pb2

from core.worker.swarm.state_parts.arrivals import Arrivals
from core.worker.swarm.state_parts.messages import Offer, PartOrder, Wish, decoded, request
from core.worker.swarm.state_parts.minimum_rate import MinimumRate

DIAL_SECONDS = 15.0  # for a donor to answer at all
SILENCE_SECONDS = 20.0  # in which the next piece must come, of 64 KiB: half a second at 1 Mbit/s


class LyingDonorError(Exception):
    """What a donor has sent is not what it was asked for."""


class LostDonorError(Exception):
    """A donor has ended the stream, or cannot be reached."""


class DonorBusyError(Exception):
    """A donor serves others, and may serve us later."""


class DonorStream:
    """A stream to the donor with that ``stub``; `open` it first, and `close` it. ``arrivals`` are told what comes."""

    def __init__(self, stub: Any, arrivals: Arrivals) -> None:
        self._stub, self._arrivals, self._rate = stub, arrivals, MinimumRate()
        self._requests: asyncio.Queue[runtime_pb2.ExpertRequest | None] = asyncio.Queue()
        self._replies: Any = None

    async def open(self, wish: Wish) -> Offer:
        """Say what we wish, and hear what there is. Raises LyingDonorError, and whatever the line does."""
        self._requests.put_nowait(request(wish))
        async with asyncio.timeout(DIAL_SECONDS):
            self._replies = await self._stub.rpc_state_parts(self._sent())
        try:
            return decoded((await self._next()).metadata, Offer)
        except ValueError as error:
            raise LyingDonorError(str(error)) from error

    def order(self, number: int) -> None:
        """Ask for a part, or for the index; what is ordered comes in turn."""
        self._requests.put_nowait(request(PartOrder(number)))

    async def received(self, length: int) -> bytes:
        """The next thing that was ordered, which has so many bytes. Raises as `open` does, and SlowDonorError."""
        data = bytearray()
        while len(data) < length:
            began = time.monotonic()
            piece = (await self._next()).tensor_part.buffer
            self._rate.note(len(piece), time.monotonic() - began)
            if not piece or len(data) + len(piece) > length:
                raise LyingDonorError("what it sends is longer than what it was asked for, or empty")
            data += piece
        return bytes(data)

    async def close(self) -> None:
        """Tell the donor that it is over."""
        self._requests.put_nowait(None)
        if self._replies is not None:
            with contextlib.suppress(Exception):
                await self._replies.aclose()

    async def _sent(self) -> AsyncIterator[runtime_pb2.ExpertRequest]:
        while (message := await self._requests.get()) is not None:
            yield message

    async def _next(self) -> averaging_pb2.DownloadData:
        async with asyncio.timeout(SILENCE_SECONDS):
            message: averaging_pb2.DownloadData | None = await anext(self._replies, None)
        if message is None:
            raise LostDonorError("it has ended the stream")
        self._arrivals.add(message)
        return message
