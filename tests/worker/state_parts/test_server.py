"""A donor's end: two newcomers at a time, and nobody gets more than there is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hivemind.proto import runtime_pb2

from core.worker.swarm.state_parts import slots as slots_module
from core.worker.swarm.state_parts.messages import INDEX, PIECE_BYTES, Offer, PartOrder, Wish, decoded, request
from core.worker.swarm.state_parts.server import MAX_ORDERS, serve_orders
from core.worker.swarm.state_parts.slots import Slots
from tests.worker.state_parts.donors import PARTS, SIZE, Donor


async def told(*messages: Any) -> AsyncIterator[Any]:
    """A newcomer's orders."""
    for message in messages:
        yield message


def served(donor: Donor, *orders: Any) -> bytes:
    """All that is sent for them."""

    async def gathered() -> bytes:
        slots = Slots()
        slot = slots.take("newcomer")
        assert slot is not None
        stream = serve_orders(told(*orders), donor.shared, slots, slot)
        pieces = [message.tensor_part.buffer async for message in stream]
        assert max(map(len, pieces), default=0) <= PIECE_BYTES
        return b"".join(pieces)

    return asyncio.run(gathered())


def test_index_and_parts_are_sent_in_turn(tmp_path: Path) -> None:
    donor = Donor(tmp_path)
    whole = served(donor, *(request(PartOrder(number)) for number in (INDEX, *range(PARTS))))
    assert whole == donor.shared.index.hashes + donor.shared.path.read_bytes()


@pytest.mark.parametrize("nonsense", [PartOrder(PARTS), PartOrder(2**31)])
def test_a_part_that_is_not_there_is_refused(tmp_path: Path, nonsense: PartOrder) -> None:
    with pytest.raises(ValueError, match="no such part"):
        served(Donor(tmp_path), request(nonsense))


@pytest.mark.parametrize("nonsense", [b"", b"\xc1", b"\x91\xd1\xff\x00", b"\x92\x01\x01", b"\x91" * 300, b"\x91\xa1x"])
def test_nonsense_is_refused(tmp_path: Path, nonsense: bytes) -> None:
    with pytest.raises(ValueError, match="understood"):
        served(Donor(tmp_path), runtime_pb2.ExpertRequest(metadata=nonsense))


def test_nobody_gets_the_state_again_and_again(tmp_path: Path) -> None:
    sent = served(Donor(tmp_path), *[request(PartOrder(0))] * 1000)
    assert len(sent) <= MAX_ORDERS * (SIZE + SIZE // (PARTS - 1) * 2)


@pytest.mark.parametrize("kind", [Wish, Offer])
def test_messages_are_bounded(kind: Any) -> None:
    assert decoded(msgspec.msgpack.encode(kind()), kind) == kind()
    with pytest.raises(ValueError, match="understood"):
        decoded(msgspec.msgpack.encode(("busy", 1, b"r" * 17, 1, b"") if kind is Offer else (1, b"r" * 17)), kind)


def test_two_are_served_and_a_third_is_not() -> None:
    slots = Slots()
    first, second = slots.take("a"), slots.take("b")
    assert first is not None and second is not None
    assert slots.take("c") is None
    slots.free(first)
    assert slots.take("c") is not None
    assert slots.has_others(second)


def test_who_comes_again_after_a_cut_takes_its_own_place() -> None:
    slots = Slots()
    before = slots.take("a")
    slots.take("b")
    assert before is not None and slots.take("a") is not None
    assert not slots.holds(before)  # the old stream ends
    slots.free(before)  # and the new one keeps its place
    assert slots.take("c") is None


def test_who_does_not_move_loses_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slots_module, "STALE_SECONDS", -1.0)
    slots = Slots()
    slots.take("a")
    slots.take("b")
    assert slots.take("c") is not None
