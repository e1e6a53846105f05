"""Donors without a network: a stub of each is what a newcomer calls, and its streams are served in the same process."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

from hivemind.p2p import PeerID

from core.worker.swarm.averaging.state_validation import State
from core.worker.swarm.state_parts.messages import Offer, Version, Wish, decoded, piece, reply
from core.worker.swarm.state_parts.part_index import PART_BYTES, index_of
from core.worker.swarm.state_parts.server import SharedFile, serve_orders
from core.worker.swarm.state_parts.slots import Slots

PARTS = 9
SIZE = (PARTS - 1) * PART_BYTES + 1000
VERSION = 12, b"r" * 16


class Donor:
    """An honest one, with a file of random bytes; ``seed`` is what file."""

    def __init__(self, folder: Path, version: Version = VERSION, seed: int = 1, size: int = SIZE) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{seed}-{size}"
        path.write_bytes(random.Random(seed).randbytes(size))
        self.shared = SharedFile(path, index_of(path, version))
        self.offer = self.shared.index.offer
        self.sent_bytes = 0

    async def rpc_state_parts(self, requests: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """As a stub's method: the stream of what is sent."""
        return self._stream(requests)

    async def _stream(self, requests: AsyncIterator[Any]) -> AsyncIterator[Any]:
        decoded((await anext(requests)).metadata, Wish)
        yield reply(self.offer)
        async for message in self._served(requests):
            self.sent_bytes += len(message.tensor_part.buffer)
            yield message

    def _served(self, requests: AsyncIterator[Any]) -> AsyncIterator[Any]:
        slots = Slots()
        slot = slots.take("newcomer")
        assert slot is not None
        return serve_orders(requests, self.shared, slots, slot)


class Liar(Donor):
    """Its parts are other ones than it has told of, and its index is right."""

    async def _served(self, requests: AsyncIterator[Any]) -> AsyncIterator[Any]:
        async for message in super()._served(requests):
            data = message.tensor_part.buffer
            yield message if len(data) == len(self.shared.index.hashes) else piece(bytes(len(data)))


class WrongIndex(Donor):
    """It tells of an index, and sends another."""

    async def _served(self, requests: AsyncIterator[Any]) -> AsyncIterator[Any]:
        await anext(requests)
        yield piece(bytes(len(self.shared.index.hashes)))


class DrippingIndex(Donor):
    """It sends its index, a byte at a time."""

    async def _served(self, requests: AsyncIterator[Any]) -> AsyncIterator[Any]:
        await anext(requests)
        for each in self.shared.index.hashes:
            await asyncio.sleep(0.05)
            yield piece(bytes([each]))


class Hanging(Donor):
    """It says what it has, and nothing more."""

    async def _served(self, requests: AsyncIterator[Any]) -> AsyncIterator[Any]:
        await asyncio.Event().wait()
        yield


class Clinging(Donor):
    """It sends nothing, and its end of the line loses the first cancellation."""

    async def _served(self, requests: AsyncIterator[Any]) -> AsyncIterator[Any]:
        yield piece(self.shared.index.hashes)
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        await asyncio.Event().wait()


class WithoutIndex(Hanging):
    """It tells of an index that nobody else has, and sends none."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, version=(99, b"s" * 16), seed=2)


class OnlyIndex(Donor):
    """It sends its index, and no part."""

    async def _served(self, requests: AsyncIterator[Any]) -> AsyncIterator[Any]:
        await anext(requests)
        yield piece(self.shared.index.hashes)
        await asyncio.Event().wait()


class MovingOn(Donor):
    """It has another state once it has been asked so many times."""

    left = 2

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.later = Donor(folder, version=(13, b"t" * 16), seed=2)

    async def _stream(self, requests: AsyncIterator[Any]) -> AsyncIterator[Any]:
        self.left -= 1
        if self.left < 0:
            self.shared, self.offer = self.later.shared, self.later.offer
        async for message in super()._stream(requests):
            yield message


class Flooding(Donor):
    """It sends whatever was not ordered, and never ends."""

    async def _served(self, requests: AsyncIterator[Any]) -> AsyncIterator[Any]:
        while True:
            yield piece(bytes(60_000))


class CutOff(Donor):
    """Its line is cut once so many bytes have come: then nobody can be called."""

    left_bytes = 0

    async def rpc_state_parts(self, requests: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Nobody answers once the line is cut."""
        if self.left_bytes <= 0:
            raise OSError("no route to host")
        return self._stream(requests)

    async def _served(self, requests: AsyncIterator[Any]) -> AsyncIterator[Any]:
        async for message in super()._served(requests):
            yield message
            self.left_bytes -= len(message.tensor_part.buffer)
            if self.left_bytes <= 0:
                return


class Busy(Donor):
    """It serves others the first time that it is asked."""

    asked = 0

    async def _stream(self, requests: AsyncIterator[Any]) -> AsyncIterator[Any]:
        self.asked += 1
        if self.asked == 1:
            yield reply(Offer("busy"))
            return
        async for message in super()._stream(requests):
            yield message


class Overtaken(Busy):
    """It serves others once it has told what it has, and its index."""

    async def _stream(self, requests: AsyncIterator[Any]) -> AsyncIterator[Any]:
        self.asked += 1
        if self.asked > 2:
            yield reply(Offer("busy"))
            return
        async for message in Donor._stream(self, requests):
            yield message


class Mute(Donor):
    """It speaks another protocol."""

    async def rpc_state_parts(self, requests: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Nothing of that name is known here."""
        raise OSError("protocol not supported")


def stubs(*donors: Donor) -> Mapping[PeerID, Donor]:
    """Those donors by their peer ids."""
    return {PeerID(b"\x12\x20" + bytes([number]) * 32): donor for number, donor in enumerate(donors)}


class TakesAnyState:
    """The checks of an averager for which no whole state is wrong."""

    def is_truncated(self, state: State) -> bool:
        """Whether its one tensor is missing."""
        return not state[1]

    def format_error(self, _state: State) -> str:
        """All are of the run."""
        return ""

    def is_behind(self, _state: State) -> bool:
        """None is."""
        return False

    def trial_error(self, _state: State) -> str:
        """Nothing is wrong with any."""
        return ""
