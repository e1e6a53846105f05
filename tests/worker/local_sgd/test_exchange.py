"""The reducer of weight changes: the same bytes for everybody, and nothing of who sends nonsense."""

from __future__ import annotations

import asyncio

import pytest
import torch
from hivemind.averaging.partition import BannedException
from torch import Tensor

from core.worker.swarm.local_sgd.codecs import codec
from core.worker.swarm.local_sgd.exchange import DeltaContainer, DeltaReducer, ReductionRule

RULE = ReductionRule(codec("int8"), "clip", 4.0)
COUNT = 300


def reduced(*sent: Tensor, weights: tuple[float, ...] = ()) -> list[Tensor | BaseException]:
    """What a reducer of one part, whose own is the first, answers to each sender."""

    async def answers() -> list[Tensor | BaseException]:
        reducer = DeltaReducer([sent[0]], len(sent), RULE)
        asked = [
            reducer.accumulate_part(number, 0, part, weight)
            for number, (part, weight) in enumerate(zip(sent, weights or (1.0,) * len(sent), strict=True))
        ]
        waiting = [asyncio.create_task(each) for each in asked]
        await asyncio.sleep(0)
        for number, task in enumerate(waiting):
            if task.done() and task.exception():
                reducer.on_sender_failed(number)
        return await asyncio.gather(*waiting, return_exceptions=True)

    return asyncio.run(answers())


def test_everybody_gets_the_same_bytes_of_the_mean() -> None:
    mine, theirs = torch.randn(COUNT), torch.randn(COUNT)
    answers = reduced(mine, RULE.codec.encode(theirs))
    assert isinstance(answers[0], Tensor)
    assert answers[0] is answers[1]
    mean = RULE.codec.decode(answers[0], COUNT)
    assert float((mean - (mine + theirs) / 2).norm() / mean.norm()) < 0.02


@pytest.mark.parametrize(
    "nonsense",
    [
        torch.zeros(7, dtype=torch.uint8),
        torch.full((RULE.codec.size(COUNT),), 0xFF, dtype=torch.uint8),
        torch.full((COUNT,), float("nan")),
        torch.full((COUNT,), 1e9),
        torch.zeros(COUNT - 1),
    ],
    ids=["length", "scales", "not finite", "absurd", "shape"],
)
def test_nonsense_is_left_out_of_the_mean(nonsense: Tensor) -> None:
    mine, theirs = torch.randn(COUNT), torch.randn(COUNT)
    first, liar, last = reduced(mine, nonsense, RULE.codec.encode(theirs))
    assert isinstance(liar, BannedException)
    assert isinstance(first, Tensor)
    assert first is last
    mean = RULE.codec.decode(first, COUNT)
    assert float((mean - (mine + theirs) / 2).norm() / mean.norm()) < 0.02


def test_a_weight_that_is_no_weight_is_nonsense() -> None:
    answers = reduced(torch.randn(COUNT), torch.randn(COUNT), weights=(1.0, float("nan")))
    assert isinstance(answers[1], BannedException)


def test_what_a_reducer_sends_is_decoded_and_what_cannot_be_counts_as_no_change() -> None:
    mine = torch.randn(COUNT)
    container = DeltaContainer([mine], [1.0], codec=RULE.codec, return_deltas=True)
    container.register_processed_part(0, 0, torch.zeros(9, dtype=torch.uint8))
    assert container.invalid_senders == {0}
    assert not container._output_parts_by_peer[0][0].any()

    container = DeltaContainer([mine], [1.0], codec=RULE.codec, return_deltas=True)
    container.register_processed_part(0, 0, RULE.codec.encode(mine))
    assert container.invalid_senders == set()
    torch.testing.assert_close(container._output_parts_by_peer[0][0], mine, atol=0.02, rtol=0)
