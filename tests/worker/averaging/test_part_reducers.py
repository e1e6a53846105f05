"""What one sender does costs no other its part of an average (H83): real exchanges on loopback."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest
import torch
from hivemind.averaging.partition import BannedException, TensorPartReducer
from hivemind.p2p import PeerID
from hivemind.proto.averaging_pb2 import AVERAGED_PART, PROTOCOL_VIOLATION, AveragingData
from torch import Tensor

from core.worker.swarm.aggregation.aggregators import AggregationRule, GradientAggregator
from core.worker.swarm.aggregation.outcome import AllreduceOutcome
from core.worker.swarm.averaging.part_reducers import RobustReducer, ValidatingReducer
from core.worker.swarm.local_sgd.audit.verdict import digest_of
from core.worker.swarm.local_sgd.codecs.wire import codec
from core.worker.swarm.local_sgd.reduction import DeltaReducer, ReductionRule
from tests.worker.averaging.loopback import GROUP, Unforked, averagers, once, under_way

COUNT = 1000
FOUR = torch.full((COUNT,), 4.0)
ALL_REDUCE = (1.0, 1.0, 1.0)
RULE = ReductionRule(codec("int8"), "clip", 4.0)

Meanwhile = Callable[[Unforked, Unforked], Awaitable[None]]


async def averaged_beside(lie: Meanwhile) -> tuple[AllreduceOutcome, AllreduceOutcome, list[list[float]]]:
    """What comes of an exchange for two of three who all reduce a part, with what the third does to the first.

    It sends nothing to the second, which begins only then. Their numbers are 1 and 2, and the liar's is 4.
    """
    async with averagers(3, part_seconds=3.0, latecomer_seconds=3.0) as (reducer, honest, liar):
        peers = [each.peer_id for each in (reducer, honest, liar)]
        tensors = [[torch.full((COUNT,), number) for _ in peers] for number in (1.0, 2.0)]
        first = asyncio.create_task(reducer.exchange(peers, ALL_REDUCE, tensors[0]))
        await under_way(reducer)
        await lie(reducer, liar)
        second = asyncio.create_task(honest.exchange(peers, ALL_REDUCE, tensors[1]))
        outcomes = await asyncio.gather(first, second)
        return *outcomes, [[float(each[0]) for each in of_peer] for of_peer in tensors]


def parts_of(reducer: Unforked) -> TensorPartReducer:
    """What averages the parts of its exchange."""
    return reducer._runner(GROUP).tensor_part_reducer


def test_who_sends_its_part_twice_counts_once_and_nobody_is_averaged_without() -> None:
    answers = list[asyncio.Task[AveragingData]]()

    async def twice(reducer: Unforked, liar: Unforked) -> None:
        for _ in range(2):
            answers.append(asyncio.create_task(liar.answer_to(FOUR, reducer.peer_id)))
        await asyncio.wait(answers, return_when=asyncio.FIRST_COMPLETED)

    first, second, ((of_first, *_), (of_second, *_)) = asyncio.run(averaged_beside(twice))
    assert of_first == of_second == pytest.approx((1 + 2 + 4) / 3)
    assert (first.lost, second.lost) == (1, 1), "the liar, who reduces nothing"
    assert {each.result().code for each in answers} == {AVERAGED_PART, PROTOCOL_VIOLATION}


def test_who_hangs_up_while_its_part_waits_for_others_ends_nobodys_average() -> None:
    """Its handler is cancelled; hivemind's waits for the same future as everybody's."""

    async def hang_up(reducer: Unforked, liar: Unforked) -> None:
        answer = asyncio.create_task(liar.answer_to(FOUR, reducer.peer_id))
        await once(lambda: parts_of(reducer).num_parts_received[2] > 0)
        answer.cancel()
        await once(lambda: liar.peer_id in reducer._runner(GROUP).banned_senders)

    first, second, (of_first, of_second) = asyncio.run(averaged_beside(hang_up))
    assert of_first == pytest.approx([(1 + 2 + 4) / 3, 1.5, 1.0])
    assert of_second == pytest.approx([(1 + 2 + 4) / 3, 1.5, 2.0])
    assert (first.lost, second.lost) == (1, 1)


def reducers() -> list[TensorPartReducer]:
    """Of each kind one, of two parts that three send."""
    mine, aggregator = [torch.ones(COUNT)] * 2, GradientAggregator(AggregationRule())
    aggregator.begin(mine, [PeerID(each) for each in (b"one", b"other", b"liar")], 0)
    return [
        ValidatingReducer(mine, 3),
        RobustReducer(mine, 3, aggregator, [0.0, 0.0]),
        DeltaReducer([COUNT] * 2, [1.0] * 2, 3, RULE, own=0),
    ]


@pytest.mark.parametrize("kind", range(3), ids=["plain", "robust", "local-sgd"])
@pytest.mark.parametrize("out_of_turn", [0, 2], ids=["again", "too early"])
def test_a_part_out_of_turn_is_not_counted_and_only_its_sender_is_left_out(kind: int, out_of_turn: int) -> None:
    signal = torch.randn(COUNT)
    honest, lie = signal + 0.1 * torch.randn(COUNT), -signal
    encode: Callable[[Tensor], Tensor] = RULE.codec.encode if kind == 2 else lambda part: part

    async def averages() -> tuple[TensorPartReducer, list[Tensor]]:
        reducer = reducers()[kind]
        begun = [asyncio.create_task(reducer.accumulate_part(each, 0, encode(signal), 100.0)) for each in (0, 2)]
        await asyncio.sleep(0)
        with pytest.raises(BannedException):
            async with asyncio.timeout(10.0):
                await reducer.accumulate_part(2, out_of_turn, encode(lie), 1e6)
        reducer.on_sender_failed(2)
        first = await asyncio.gather(reducer.accumulate_part(1, 0, encode(honest), 100.0), *begun)
        last = [asyncio.create_task(reducer.accumulate_part(each, 1, encode(honest), 100.0)) for each in (0, 1)]
        return reducer, [*first, *await asyncio.gather(*last)]

    reducer, (average, *_, last) = asyncio.run(averages())
    assert reducer.outliers() == {2}
    if isinstance(reducer, DeltaReducer):
        average, last = (RULE.codec.decode(each, COUNT) for each in (average, last))
        weights, digests = zip(*((each.weights, each.digests) for each in reducer.accounts()), strict=True)
        assert weights == ((100.0, 100.0, 100.0), (100.0, 100.0, 0.0))
        assert digests[0][2] == digest_of(encode(signal).numpy()), "what was averaged"
    torch.testing.assert_close(average, (2 * signal + honest) / 3, atol=0.1, rtol=0)
    torch.testing.assert_close(last, honest, atol=0.1, rtol=0)
