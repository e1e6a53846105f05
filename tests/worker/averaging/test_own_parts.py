"""The parts that a peer averages itself: real exchanges on loopback end, whoever of the others is late."""

from __future__ import annotations

import asyncio

import pytest
import torch

from core.worker.swarm.aggregation.outcome import AllreduceOutcome
from tests.worker.averaging.loopback import Unforked, averagers, under_way

COUNT = 1000
PART_SECONDS, LATECOMER_SECONDS = 1.5, 20.0


def test_who_is_late_at_one_reducer_alone_is_in_its_average_and_the_reducer_names_nobody() -> None:
    """The two others have long answered that reducer, and wait for it no longer than `PART_SECONDS`."""

    async def late_at_the_first() -> tuple[Unforked, AllreduceOutcome, list[float]]:
        async with averagers(4, part_seconds=PART_SECONDS, latecomer_seconds=LATECOMER_SECONDS) as members:
            *reducers, client = members
            peers, fractions = [each.peer_id for each in members], (1.0, 1.0, 1.0, 0.0)
            numbers = [[torch.full((COUNT,), float(number)) for _ in reducers] for number in range(3)]
            exchanges = [
                asyncio.create_task(each.exchange(peers, fractions, mine))
                for each, mine in zip(reducers, numbers, strict=True)
            ]
            await asyncio.gather(*map(under_way, reducers))
            part = torch.full((COUNT,), 9.0)
            await asyncio.gather(*(client.answer_to(part, each) for each in peers[1:3]))
            await asyncio.wait(exchanges[1:])
            await client.answer_to(part, peers[0])
            return reducers[0], await exchanges[0], [float(each[0]) for each in numbers[0]]

    reducer, outcome, became = asyncio.run(late_at_the_first())
    assert became == pytest.approx([(0 + 1 + 2 + 9) / 4] * 3)
    assert not outcome.has_missing_parts
    assert (outcome.unreached, {*reducer._doubted}) == (frozenset(), set())


def test_whose_own_numbers_are_too_large_to_be_averaged_holds_nobody_up() -> None:
    """They are finite, and their norm is not."""

    async def diverged() -> tuple[AllreduceOutcome, AllreduceOutcome, list[float]]:
        async with averagers(2, part_seconds=LATECOMER_SECONDS, latecomer_seconds=LATECOMER_SECONDS) as members:
            peers = [each.peer_id for each in members]
            numbers = [[torch.full((COUNT,), number) for _ in peers] for number in (1e30, 2.0)]
            both = zip(members, numbers, strict=True)
            first, second = await asyncio.gather(*(each.exchange(peers, (1.0, 1.0), mine) for each, mine in both))
            return first, second, [float(each[0]) for each in numbers[1]]

    first, second, became = asyncio.run(diverged())
    assert first.has_missing_parts and second.lost == 1
    assert became == [2.0, 2.0]
