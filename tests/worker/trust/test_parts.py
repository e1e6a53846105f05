"""A part is looked at before it is counted: whoever sends a wrong one is left out, and nobody waits for it."""

from __future__ import annotations

import asyncio
import math

import pytest
import torch
from hivemind.averaging.partition import BannedException
from torch import Tensor

from core.worker.swarm.averaging.allreduce import ValidatingContainer
from core.worker.swarm.averaging.part_reducers import ValidatingReducer

COUNT = 8
LIMIT_SECONDS = 60.0


def reduced(bad: Tensor, weight: float, parts: int = 2) -> tuple[ValidatingReducer, list[list[Tensor]]]:
    """What two honest senders get of each part while a third sends that as its second; all ones and threes."""

    async def exchange() -> tuple[ValidatingReducer, list[list[Tensor]]]:
        reducer = ValidatingReducer([torch.ones(COUNT)] * parts, 3)

        async def send(sender: int, value: float) -> list[Tensor]:
            sent = torch.full((COUNT,), value)
            return [await reducer.accumulate_part(sender, number, sent) for number in range(parts)]

        async def lie() -> None:
            await reducer.accumulate_part(2, 0, torch.full((COUNT,), 2.0))
            with pytest.raises(BannedException):
                await reducer.accumulate_part(2, 1, bad, weight)
            reducer.on_sender_failed(2)  # as hivemind's runner does with whoever raises that

        async with asyncio.timeout(LIMIT_SECONDS):
            first, second, _ = await asyncio.gather(send(0, 1.0), send(1, 3.0), lie())
        return reducer, [first, second]

    return asyncio.run(exchange())


@pytest.mark.parametrize(
    ("bad", "weight"),
    [
        (torch.ones(COUNT + 1), 1.0),
        (torch.ones(1), 1.0),
        (torch.ones(COUNT, 1), 1.0),
        (torch.ones(0), 1.0),
        (torch.ones(COUNT, dtype=torch.int64), 1.0),
        (torch.ones(COUNT), 1e39),
        (torch.ones(COUNT), math.inf),
        (torch.ones(COUNT), math.nan),
        (torch.ones(COUNT), -1.0),
        (torch.full((COUNT,), math.nan), 1.0),
    ],
)
def test_a_part_that_cannot_be_averaged_holds_nobody_up(bad: Tensor, weight: float) -> None:
    reducer, answers = reduced(bad, weight)
    assert reducer.outliers() == {2}
    for first, second in answers:
        assert torch.equal(first, torch.full((COUNT,), 2.0)) and torch.equal(second, torch.full((COUNT,), 2.0))


def test_who_is_shunned_is_no_longer_counted_and_holds_nobody_up() -> None:
    async def exchange() -> list[Tensor]:
        reducer = ValidatingReducer([torch.ones(COUNT)], 3)
        reducer.shunned = (2,)

        async def shunned() -> None:
            with pytest.raises(BannedException):
                await reducer.accumulate_part(2, 0, torch.full((COUNT,), 50.0))
            reducer.on_sender_failed(2)

        async with asyncio.timeout(LIMIT_SECONDS):
            first, second, _ = await asyncio.gather(
                reducer.accumulate_part(0, 0, torch.ones(COUNT)),
                reducer.accumulate_part(1, 0, torch.full((COUNT,), 3.0)),
                shunned(),
            )
        assert reducer.outliers() == set()
        return [first, second]

    for average in asyncio.run(exchange()):
        assert average.tolist() == [2.0] * COUNT


def test_an_answer_of_who_is_shunned_changes_nothing_of_ours() -> None:
    mine = torch.arange(float(COUNT))
    container = ValidatingContainer([mine], [1.0], part_size_bytes=1024, return_deltas=True)
    container.shunned = (0,)
    container.register_processed_part(0, 0, torch.full((COUNT,), 0.5))
    assert container._output_parts_by_peer[0][0].tolist() == [0.0] * COUNT
