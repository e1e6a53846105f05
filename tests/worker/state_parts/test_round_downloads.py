"""Rounds of a log go to a few peers at a time, once to each, within the share of the line, over real p2pds."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from hivemind.p2p import P2P, PeerID
from hivemind.proto import averaging_pb2, runtime_pb2

from core.worker.swarm.averaging.state_validation import BUSY
from core.worker.swarm.local_sgd import round_log, state_file
from core.worker.swarm.local_sgd.replay import SERVES_OTHERS, WhatFollows, WhatWeHave
from core.worker.swarm.local_sgd.round_log import MAX_ROUNDS
from core.worker.swarm.local_sgd.state_donor import MAX_ROUND_DOWNLOADS
from core.worker.swarm.state_parts import line_share
from core.worker.swarm.state_parts.line_share import LineShare
from core.worker.swarm.state_parts.messages import Offer, Version, Wish, decoded, request
from tests.worker.local_sgd.members import LENGTHS, Donor, Newcomer

LIMIT_SECONDS = 120.0
PREFIX = "rounds"
PARTS = MAX_ROUNDS * len(LENGTHS)
ROUNDS_BYTES = MAX_ROUNDS * sum(LENGTHS)
SECONDS = 3.0


@contextlib.asynccontextmanager
async def served(donor: Donor, askers: int) -> AsyncIterator[tuple[PeerID, list[P2P]]]:
    """The donor behind a p2pd of its own, and those who are connected to it."""
    async with asyncio.timeout(LIMIT_SECONDS), contextlib.AsyncExitStack() as ends:
        home = await P2P.create()
        ends.push_async_callback(home.shutdown)
        await donor.add_p2p_handlers(home, namespace=PREFIX)
        addresses = await home.get_visible_maddrs()
        peers = list[P2P]()
        for _ in range(askers):
            peers.append(await P2P.create(initial_peers=addresses, dht_mode="client"))
            ends.push_async_callback(peers[-1].shutdown)
        yield home.peer_id, peers


def donor_after(folder: Path) -> tuple[Donor, Version]:
    """A member with a whole log, and the version with which that begins."""
    donor = Donor(folder)
    began = donor.outer.version()
    donor.take_rounds(MAX_ROUNDS)
    return donor, began


async def asked(asker: P2P, donor: PeerID, have: Version) -> tuple[WhatFollows, AsyncIterator[Any]]:
    """What the donor tells first, and the stream with the rest."""
    wish = runtime_pb2.ExpertRequest(metadata=msgspec.msgpack.encode(WhatWeHave(*have)))
    stream = await Donor.get_stub(asker, donor, namespace=PREFIX).rpc_missed_rounds(wish)
    return msgspec.msgpack.decode((await anext(stream)).metadata, type=WhatFollows), stream


async def parts_of(stream: AsyncIterator[averaging_pb2.DownloadData]) -> int:
    """How many parts come in the rest of a stream."""
    return len([message async for message in stream])


class Gate(LineShare):
    """A line on which nothing gets through until it is open."""

    def __init__(self, donor: Donor) -> None:
        super().__init__()
        self._is_open, donor._slots.share = asyncio.Event(), self

    async def wait(self, _size_bytes: int, _share: float = 0.0) -> None:
        """Wait for `open`."""
        await self._is_open.wait()

    def open(self) -> None:
        """Let all through."""
        self._is_open.set()


@pytest.mark.real
def test_a_few_are_sent_rounds_at_a_time_and_others_hear_so_and_newcomers_have_places_of_their_own(
    tmp_path: Path,
) -> None:
    async def ask() -> None:
        donor, began = donor_after(tmp_path)
        async with served(donor, MAX_ROUND_DOWNLOADS + 2) as (peer, askers):
            gate = Gate(donor)
            begun = [await asked(asker, peer, began) for asker in askers[:MAX_ROUND_DOWNLOADS]]
            assert all(len(told.rounds) == MAX_ROUNDS for told, _stream in begun)
            for asker in askers[MAX_ROUND_DOWNLOADS:]:
                told, stream = await asked(asker, peer, began)
                assert told == SERVES_OTHERS and await parts_of(stream) == 0
            present, _stream = await asked(askers[-1], peer, donor.outer.version())
            assert (present.steps, present.root) == donor.outer.version() and present.rounds == []
            assert (await offered(askers[-1], peer)).version == donor.outer.version()
            gate.open()
            assert [await parts_of(stream) for _told, stream in begun] == [PARTS] * MAX_ROUND_DOWNLOADS
            told, stream = await asked(askers[-1], peer, began)
            assert len(told.rounds) == MAX_ROUNDS and await parts_of(stream) == PARTS

    asyncio.run(ask())


async def offered(asker: P2P, donor: PeerID) -> Offer:
    """What a newcomer is offered of the donor's state."""

    async def wishes() -> AsyncIterator[runtime_pb2.ExpertRequest]:
        yield request(Wish())
        await asyncio.Event().wait()

    stream = await Donor.get_stub(asker, donor, namespace=PREFIX).rpc_state_parts(wishes())
    return decoded((await anext(stream)).metadata, Offer)


@pytest.mark.real
def test_who_opens_a_hundred_streams_is_sent_the_rounds_in_the_last_of_them(tmp_path: Path) -> None:
    async def ask() -> list[int]:
        donor, began = donor_after(tmp_path)
        async with served(donor, 1) as (peer, (asker,)):
            gate = Gate(donor)
            streams = [(await asked(asker, peer, began))[1] for _ in range(100)]
            gate.open()
            return [await parts_of(stream) for stream in streams]

    assert asyncio.run(ask()) == [*[0] * 99, PARTS]


@pytest.mark.real
def test_rounds_and_states_have_one_share_of_a_measured_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_share, "MIN_BITS_PER_SECOND", 1.0)

    async def ask() -> float:
        donor, began = donor_after(tmp_path)
        async with served(donor, MAX_ROUND_DOWNLOADS) as (peer, askers):
            await donor._know_upload(MAX_ROUND_DOWNLOADS * ROUNDS_BYTES * 8 / line_share.SHARE / SECONDS)
            since = time.monotonic()
            streams = [(await asked(asker, peer, began))[1] for asker in askers]
            assert await asyncio.gather(*map(parts_of, streams)) == [PARTS] * MAX_ROUND_DOWNLOADS
            return time.monotonic() - since

    assert asyncio.run(ask()) > 0.8 * SECONDS


def test_who_alone_has_missed_rounds_is_sent_them_with_the_whole_line(tmp_path: Path) -> None:
    """It would never catch up with half of a slow one; a second one that asks halves it again."""
    donor, began = donor_after(tmp_path)
    shares: list[float] = []

    class Noted(LineShare):
        async def wait(self, _size_bytes: int, share: float = line_share.SHARE) -> None:
            shares.append(share)

    donor._slots.share = Noted()
    context: Any = SimpleNamespace(remote_id=PeerID(b"somebody"))

    async def ask() -> int:
        wish = runtime_pb2.ExpertRequest(metadata=msgspec.msgpack.encode(WhatWeHave(*began)))
        return len([message async for message in donor.rpc_missed_rounds(wish, context)])

    assert asyncio.run(ask()) == 1 + PARTS and set(shares) == {line_share.WHOLE}
    shares.clear()
    donor._round_slots.take(PeerID(b"another"))
    assert asyncio.run(ask()) == 1 + PARTS and set(shares) == {line_share.SHARE}


def test_the_disk_is_read_beside_the_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    donor, began = donor_after(tmp_path)
    readers, opened = set[int](), state_file.opened_tensors

    def noted(path: Path) -> Any:
        readers.add(threading.get_ident())
        return opened(path)

    monkeypatch.setattr(round_log, "opened_tensors", noted)
    context: Any = SimpleNamespace(remote_id=PeerID(b"somebody"))

    async def ask() -> int:
        wish = runtime_pb2.ExpertRequest(metadata=msgspec.msgpack.encode(WhatWeHave(*began)))
        return len([message async for message in donor.rpc_missed_rounds(wish, context)])

    assert asyncio.run(ask()) == 1 + PARTS
    assert readers and threading.get_ident() not in readers


def test_who_finds_a_donor_busy_asks_another_one_or_later(tmp_path: Path) -> None:
    busy, other = (Donor(tmp_path / name) for name in ("busy", "other"))
    state = busy.state()
    for each in (busy, other):
        each.take_rounds(2)
    late = Newcomer(state, busy, other)
    for stranger in range(MAX_ROUND_DOWNLOADS):
        assert busy._round_slots.take(stranger)
    first = late.answer()
    assert first is not None and late.donors[first[0]] is busy and first[1] is BUSY
    second = late.answer(first[0])
    assert second is not None and late.donors[second[0]] is other and second[1] is not None
    busy._round_slots = type(busy._round_slots)(MAX_ROUND_DOWNLOADS)
    Newcomer(state, busy).download()
    assert busy.whole_states == other.whole_states == 0


def test_to_a_peer_that_knows_no_busy_donor_its_state_is_too_old() -> None:
    """Peers of earlier versions ask another donor where the epoch is before theirs, which is 0 at the least."""
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(SERVES_OTHERS), type=WhatFollows).epoch < 0
