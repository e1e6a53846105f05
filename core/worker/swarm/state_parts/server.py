"""Serve a state's file in parts to one newcomer: the donor's end of a stream. Nothing that it says is trusted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from hivemind.proto import averaging_pb2, runtime_pb2

from core.worker.swarm.state_parts.messages import INDEX, PIECE_BYTES, PartOrder, decoded, piece
from core.worker.swarm.state_parts.part_index import PART_BYTES, PartIndex
from core.worker.swarm.state_parts.slots import Slot, Slots

ORDER_SECONDS = 60.0  # for a newcomer to order the next part
MAX_ORDERS = 2  # of each part, on the average


@dataclass(frozen=True)
class SharedFile:
    """A file whose parts anybody may have, and its index."""

    path: Path
    index: PartIndex


async def serve_orders(
    orders: AsyncIterator[runtime_pb2.ExpertRequest], shared: SharedFile, slots: Slots, slot: Slot
) -> AsyncIterator[averaging_pb2.DownloadData]:
    """Send what is ordered, in turn and no faster than newcomers' share of the line, as long as the slot is taken.

    Raises ValueError for an order that is none, TimeoutError, and OSError where the file cannot be read.
    """
    loop, index = asyncio.get_running_loop(), shared.index
    with shared.path.open("rb") as file:
        for _ in range(MAX_ORDERS * (index.parts + 1)):
            async with asyncio.timeout(ORDER_SECONDS):
                asked = await anext(orders, None)
            if asked is None:
                return
            number = decoded(asked.metadata, PartOrder).number
            if number >= index.parts:
                raise ValueError("there is no such part")
            data = index.hashes if number == INDEX else await loop.run_in_executor(None, _part, file, number)
            for start in range(0, len(data), PIECE_BYTES):
                sent = data[start : start + PIECE_BYTES]
                await slots.share.wait(len(sent))
                if not slots.holds(slot):
                    return
                yield piece(sent)
                slot.touch()


def _part(file: BinaryIO, number: int) -> bytes:
    file.seek(number * PART_BYTES)
    return file.read(PART_BYTES)
