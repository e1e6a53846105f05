"""What is sent follows what has arrived, and the figure is that of the line."""

from __future__ import annotations

import asyncio
from collections import deque

import pytest

from core.worker.swarm.upload_test.paced_upload import (
    CHUNK_BYTES,
    FIRST_BYTES,
    MAX_BYTES,
    MAX_UNDERWAY_BYTES,
    MOST_SPEEDUP,
    RECEIPT_BYTES,
    UNDERWAY_SECONDS,
    PacedUpload,
)

SECONDS = 2.0


class SimulatedLine:
    """A line that carries one chunk after the other, by a clock of its own; receipts take no time."""

    def __init__(self, bits_per_second: float) -> None:
        self._chunk_seconds = CHUNK_BYTES * 8 / bits_per_second
        self.now = self.most_underway = 0.0
        self.sent_bytes = 0

    async def carry(self, upload: PacedUpload) -> None:
        """Until nothing more is sent."""
        underway, chunks = deque[bytes](), upload.chunks()
        pending = asyncio.ensure_future(anext(chunks, None))
        while True:
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            if pending.done():
                if (chunk := pending.result()) is None:
                    return
                assert len(chunk.metadata) == CHUNK_BYTES
                underway.append(chunk.metadata[-RECEIPT_BYTES:])
                self.sent_bytes += CHUNK_BYTES
                self.most_underway = max(self.most_underway, len(underway) * CHUNK_BYTES)
                pending = asyncio.ensure_future(anext(chunks, None))
            else:  # it waits for a receipt
                self.now += self._chunk_seconds
                upload.confirm(underway.popleft())


def uploaded(bits_per_second: float) -> tuple[SimulatedLine, PacedUpload]:
    """A whole upload over such a line."""
    line = SimulatedLine(bits_per_second)
    upload = PacedUpload(SECONDS, lambda: line.now)
    asyncio.run(asyncio.wait_for(line.carry(upload), 60.0))
    return line, upload


@pytest.mark.parametrize("mbits", [0.3, 4.0, 20.0, 1000.0])
def test_the_figure_is_the_speed_of_the_line(mbits: float) -> None:
    line, upload = uploaded(mbits * 1e6)
    assert upload.bits_per_second() == pytest.approx(mbits * 1e6)
    assert line.sent_bytes <= MAX_BYTES
    most = max(FIRST_BYTES, min(mbits * 1e6 / 8 * UNDERWAY_SECONDS, MAX_UNDERWAY_BYTES))
    assert line.most_underway <= most + CHUNK_BYTES
    assert line.now <= SECONDS + FIRST_BYTES * 8 / (mbits * 1e6)


def test_what_was_not_sent_cannot_be_confirmed() -> None:
    upload = PacedUpload(SECONDS)
    with pytest.raises(ValueError, match="not what was sent"):
        upload.confirm(bytes(RECEIPT_BYTES))

    async def sent_and_confirmed_wrongly() -> None:
        await anext(upload.chunks())
        upload.confirm(bytes(RECEIPT_BYTES))

    with pytest.raises(ValueError, match="not what was sent"):
        asyncio.run(sent_and_confirmed_wrongly())


def test_too_little_says_nothing() -> None:
    async def three_chunks() -> PacedUpload:
        upload = PacedUpload(SECONDS)
        chunks = upload.chunks()
        for _ in range(3):
            upload.confirm((await anext(chunks)).metadata[-RECEIPT_BYTES:])
        return upload

    assert asyncio.run(three_chunks()).bits_per_second() is None


def test_receipts_that_are_held_back_and_come_together_make_no_line_fast() -> None:
    now, seconds = [0.0], 0.9 * SECONDS

    async def held_back() -> tuple[PacedUpload, int]:
        upload = PacedUpload(SECONDS, lambda: now[0])
        chunks = upload.chunks()
        receipts = [(await anext(chunks)).metadata[-RECEIPT_BYTES:] for _ in range(FIRST_BYTES // CHUNK_BYTES)]
        now[0] = seconds
        for receipt in receipts:
            now[0] += 1e-5
            upload.confirm(receipt)
        return upload, len(receipts)

    upload, count = asyncio.run(held_back())
    figure = upload.bits_per_second()
    assert figure is not None and figure <= MOST_SPEEDUP * count * CHUNK_BYTES * 8 / seconds
