"""The reducer of weight changes: the same bytes for everybody, and nothing of who sends nonsense."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
import torch
from hivemind.averaging.partition import BannedException
from hivemind.compression import deserialize_torch_tensor
from hivemind.proto import averaging_pb2
from hivemind.utils.asyncio import as_aiter
from torch import Tensor

from core.worker.swarm.aggregation.claimed_weights import ClaimedWeights
from core.worker.swarm.local_sgd.answer_checks import (
    MIN_NUMBERS,
    CountedShares,
    ListeningStub,
    ReducerAnswers,
    answer,
)
from core.worker.swarm.local_sgd.audit.verdict import digest_of
from core.worker.swarm.local_sgd.codecs.encoded_tensors import EncodedTensors
from core.worker.swarm.local_sgd.codecs.wire import EncodedParts, codec
from core.worker.swarm.local_sgd.exchange import DeltaContainer
from core.worker.swarm.local_sgd.reduction import DeltaReducer, ReductionRule, SentSize, SizeLimit, UsualSize
from core.worker.swarm.trust.part_checks import root_mean_square

RULE = ReductionRule(codec("int8"), "clip", 4.0)
COUNT = MIN_NUMBERS


def encoded(part: Tensor) -> Tensor:
    """What a sender sends of such numbers; bytes are sent as they are, and so is what no codec encodes."""
    is_sendable = part.is_floating_point() and len(part) == COUNT and bool(part.isfinite().all())
    return RULE.codec.encode(part) if is_sendable else part


def reduced(*sent: Tensor, weights: tuple[float, ...] = ()) -> list[Tensor | BaseException]:
    """What a reducer of one part, whose own is the first, answers to each sender."""
    return reduction(*sent, weights=weights)[1]


def reduction(
    *sent: Tensor, weights: tuple[float, ...] = (), **options: Any
) -> tuple[DeltaReducer, list[Tensor | BaseException]]:
    """The reducer of one part, whose own is the first, and what it answers to each sender."""

    async def answers() -> tuple[DeltaReducer, list[Tensor | BaseException]]:
        own = sent[0]
        usual = root_mean_square(own) if own.is_floating_point() else 1.0
        reducer = DeltaReducer([COUNT], [usual], len(sent), RULE, **options)
        asked = [
            reducer.accumulate_part(number, 0, encoded(part), weight)
            for number, (part, weight) in enumerate(zip(sent, weights or (1.0,) * len(sent), strict=True))
        ]
        waiting = [asyncio.create_task(each) for each in asked]
        await asyncio.sleep(0)
        for number, task in enumerate(waiting):
            if task.done() and task.exception():
                reducer.on_sender_failed(number)
        return reducer, await asyncio.gather(*waiting, return_exceptions=True)

    return asyncio.run(answers())


def test_everybody_gets_the_same_bytes_of_the_mean() -> None:
    mine, theirs = torch.randn(COUNT), torch.randn(COUNT)
    answers = reduced(mine, RULE.codec.encode(theirs))
    assert isinstance(answers[0], Tensor)
    assert answers[0] is answers[1]
    mean = RULE.codec.decode(answers[0], COUNT)
    assert float((mean - (mine + theirs) / 2).norm() / mean.norm()) < 0.02


def test_the_norm_of_what_each_sender_has_changed_is_compared_with_the_median() -> None:
    mine = torch.randn(COUNT)
    reducer, _answers = reduction(mine, 50 * mine, 0.1 * mine, -mine, 0 * mine)
    assert reducer.norm_ratios() == pytest.approx({0: 1.0, 1: 50.0, 2: 0.1, 3: 1.0}, rel=0.01)


@pytest.mark.parametrize(("reported", "counts_for"), [(0.0, 400.0), (100.0, 200.0)])
def test_of_two_senders_a_claim_of_a_billion_samples_does_not_decide_the_average(
    reported: float, counts_for: float
) -> None:
    """Without a report it counts for four times the other's weight, as the run's ``weight_cap`` says."""
    mine, theirs = torch.randn(COUNT), torch.randn(COUNT)
    claims = ClaimedWeights([1.0, 1.0], [0.0, reported])
    reducer, (answer_to_me, _) = reduction(mine, theirs, weights=(100.0, 1e9), claims=claims)
    assert isinstance(answer_to_me, Tensor)
    mean = (100 * mine + counts_for * theirs) / (100 + counts_for)
    assert float((RULE.codec.decode(answer_to_me, COUNT) - mean).norm() / mean.norm()) < 0.02
    assert reducer.outliers() == ({1} if reported else set())
    (account,) = reducer.accounts()
    assert account.weights == (100.0, 2 * reported or 1e9)


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


def test_whose_part_is_far_larger_or_nonsense_is_an_outlier() -> None:
    honest = [torch.randn(COUNT) for _ in range(3)]
    assert reduction(*honest, 30 * honest[0])[0].outliers() == set()
    assert reduction(*honest, -140 * honest[0])[0].outliers() == {3}
    assert reduction(honest[0], torch.full((COUNT,), float("nan")), honest[1])[0].outliers() == {1}


@pytest.mark.parametrize("beginners", [2, 3])
def test_beside_beginners_who_has_learned_for_several_rounds_is_no_liar(beginners: int) -> None:
    """A beginner has taken one step of 32 samples at a hundredth of the learning rate, the others a hundred at all."""
    sent = [*(0.001 * torch.randn(COUNT) for _ in range(beginners)), torch.randn(COUNT), torch.randn(COUNT)]
    weights = (32.0,) * beginners + (3200.0,) * 2
    assert reduction(*sent, weights=weights)[0].outliers() == set()
    lie = 1000 * sent[-1]
    assert reduction(*sent[:-1], lie, weights=weights)[0].outliers() == {len(sent) - 1}


def test_a_reducer_that_meets_two_gross_liars_of_nine_in_its_first_exchange_is_no_liar_to_its_senders() -> None:
    """Clipped to the usual norm, the two, who claim a billion samples each, would have more than half of the weight."""
    learned, weights = 0.01 * torch.randn(COUNT), (100.0,) * 7 + (1e9, 1e9)
    truth = [learned + 0.004 * torch.randn(COUNT) for _ in weights]
    honest, lies = truth[:7], [-1000 * each for each in truth[7:]]
    reducer, (answer, *_) = reduction(*honest, *lies, weights=weights)
    assert reducer.outliers() == {7, 8}
    answers, right = ReducerAnswers(), torch.stack(honest).mean(dim=0)
    assert isinstance(answer, Tensor)
    for number, average in enumerate((RULE.codec.decode(answer, COUNT), right)):  # one reducer knows what is usual
        answers.add(number, honest[3], average)
    assert answers.liars(None) == frozenset()
    torch.testing.assert_close(RULE.codec.decode(answer, COUNT), right, atol=0.001, rtol=0)
    assert max(reducer.sizes()).size < 1  # what is usual from now on


def test_two_of_nine_that_claim_a_billion_samples_have_a_third_of_the_average() -> None:
    """Their changes have nothing to do with those of the others, so that they are in it."""
    learned, lie = torch.randn(2, COUNT)
    sent = [*(learned + 0.3 * torch.randn(COUNT) for _ in range(7)), lie, lie]
    _reducer, (answer, *_) = reduction(*sent, weights=(100.0,) * 7 + (1e9, 1e9))
    assert isinstance(answer, Tensor)
    average = RULE.codec.decode(answer, COUNT)
    assert 0.6 < float(average @ learned / (learned @ learned)) < 0.75
    assert 0.25 < float(average @ lie / (lie @ lie)) < 0.4


def test_a_reducer_compares_the_directions_of_whom_it_averages() -> None:
    learned = torch.randn(COUNT)
    sent = [*(learned + torch.randn(COUNT) for _ in range(5)), -learned, torch.zeros(COUNT)]
    reducer, _answers = reduction(*sent, weights=(*(100.0,) * 6, 0.0))  # the last one is a keeper
    *honest, liar = (each.cosine for each in reducer.leave_one_out.directions().values())
    assert min(honest) > 0.3 and liar < -0.8 and len(honest) == 5


@pytest.mark.parametrize(("honest", "liars"), [(2, 1), (3, 1), (3, 2), (7, 2)])
def test_who_sends_the_opposite_takes_nothing_away_of_what_the_others_have_learned(honest: int, liars: int) -> None:
    learned = torch.randn(COUNT)
    sent = [learned + 0.5 * torch.randn(COUNT) for _ in range(honest)]
    weights = (100.0,) * honest + (1e9,) * liars
    reducer, (answer, *_) = reduction(*sent, *[-learned] * liars, weights=weights)
    assert isinstance(answer, Tensor)
    average, mean = RULE.codec.decode(answer, COUNT), torch.stack(sent).mean(dim=0)
    assert (average - mean).norm() < 0.05 * mean.norm()  # some are clipped to the median norm
    counted = [reducer.counted(0, sender) for sender in range(honest + liars)]
    assert counted[honest:] == [0.0] * liars and min(counted[:honest]) > 0.5


def test_of_three_that_have_learned_different_things_all_are_averaged() -> None:
    """Two whose changes have nothing in common, and one that is against both: each may be the liar."""
    one, other = torch.randn(2, COUNT)
    reducer, _answers = reduction(one, other, -(one + other) / 2**0.5)
    assert min(reducer.counted(0, sender) for sender in range(3)) > 0.9


def test_of_two_senders_nobody_can_say_who_is_the_outlier() -> None:
    assert reduction(torch.randn(COUNT), 140 * torch.randn(COUNT))[0].outliers() == set()


def test_what_was_sent_before_says_who_of_two_senders_is_the_outlier() -> None:
    usual = UsualSize()
    for size in (1.0, 1.2, 0.9):
        usual.add([SentSize(size, 100.0)] * 2)
    mine, theirs = torch.randn(COUNT), torch.randn(COUNT)
    reducer, answers = reduction(mine, RULE.codec.encode(-140 * theirs), limit=usual.limit())
    assert isinstance(answers[1], BannedException)
    assert reducer.outliers() == {1}
    assert isinstance(answers[0], Tensor)
    torch.testing.assert_close(RULE.codec.decode(answers[0], COUNT), mine, atol=0.05, rtol=0)  # encoded twice
    assert reduction(mine, 30 * theirs, limit=usual.limit())[0].outliers() == set()


def test_our_own_part_that_is_far_larger_than_usual_has_no_weight() -> None:
    mine, theirs = 1000 * torch.randn(COUNT), torch.randn(COUNT)
    reducer, answers = reduction(mine, RULE.codec.encode(theirs), limit=SizeLimit(100.0), own=0)
    assert isinstance(answers[0], Tensor)
    assert answers[0] is answers[1]
    torch.testing.assert_close(RULE.codec.decode(answers[0], COUNT), theirs, atol=0.05, rtol=0)
    assert reducer.outliers() == set()


def test_who_sends_next_to_nothing_has_nobody_left_out() -> None:
    usual, mine = UsualSize(), torch.randn(COUNT)
    for _ in range(8):
        reducer, answers = reduction(mine, 1e-6 * torch.randn(COUNT), limit=usual.limit())
        assert isinstance(answers[0], Tensor)
        assert reducer.outliers() == set()
        usual.add(reducer.sizes())


def test_however_often_a_liar_is_left_out_it_stays_so() -> None:
    usual, mine = UsualSize(), torch.randn(COUNT)
    usual.add([SentSize(1.0, 100.0)])
    for _ in range(8):
        reducer, _answers = reduction(mine, -1000 * mine, limit=usual.limit())
        assert reducer.outliers() == {1}
        usual.add(reducer.sizes())


def test_where_everybodys_changes_have_grown_they_are_taken_again_after_some_rounds() -> None:
    usual, sent = UsualSize(), 1000 * torch.randn(COUNT)
    usual.add([SentSize(1.0, 100.0)])
    usual.add([SentSize(1.0, 100.0)])
    refused = 0
    while (reducer := reduction(sent, limit=usual.limit())[0]).invalid_senders:
        usual.add(reducer.sizes())
        refused += 1
    assert 1 <= refused <= 3


def test_where_a_round_of_one_step_was_the_first_who_has_taken_hundreds_in_the_next_is_no_liar() -> None:
    """Each has told the swarm how many samples it has computed; a claim of more excuses nobody."""
    usual, step, learned = UsualSize(), 1e-4 * torch.randn(COUNT), 0.05 * torch.randn(COUNT)
    usual.add(reduction(step, step, step, weights=(32.0,) * 3)[0].sizes())
    samples, sent, limit = (32.0, 3200.0, 3200.0), (step, learned, learned), usual.limit()  # one has hardly begun
    honest = reduction(*sent, weights=samples, limit=limit, claims=ClaimedWeights([1.0] * 3, samples))[0]
    assert honest.outliers() == set()
    claims = ClaimedWeights([1.0] * 4, [*samples, 3200.0])
    assert reduction(*sent, -1000 * learned, weights=(*samples, 1e9), limit=limit, claims=claims)[0].outliers() == {3}


def test_whoever_reduces_nothing_has_seen_no_sizes() -> None:
    async def sizes() -> list[SentSize]:
        reducer = DeltaReducer([], [], 3, RULE)
        reducer.finalize()
        return reducer.sizes()

    assert asyncio.run(sizes()) == []


def test_who_has_no_weight_does_not_make_others_outliers() -> None:
    sent = torch.zeros(COUNT), torch.zeros(COUNT), torch.randn(COUNT), torch.randn(COUNT)
    assert reduction(*sent, weights=(0.0, 0.0, 1.0, 1.0))[0].outliers() == set()


def test_a_weight_that_is_no_weight_is_nonsense() -> None:
    answers = reduced(torch.randn(COUNT), torch.randn(COUNT), weights=(1.0, float("nan")))
    assert isinstance(answers[1], BannedException)


def test_a_reducer_gives_account_of_what_it_has_received_and_how_it_has_weighed_that() -> None:
    honest, nonsense = torch.randn(COUNT), torch.full((COUNT,), float("nan"))
    options: dict[str, Any] = {"claims": ClaimedWeights([1.0, 1.0, 0.5], [0.0] * 3)}
    reducer, _answers = reduction(honest, nonsense, 2 * honest, weights=(8.0, 8.0, 6.0), **options)
    (account,) = reducer.accounts()
    assert account.weights == (8.0, 0.0, 6.0)
    assert account.shares == (1.0, 1.0, 0.5)
    assert account.digests == (digest_of(encoded(honest).numpy()), b"", digest_of(encoded(2 * honest).numpy()))


def test_each_sender_is_told_how_far_its_part_counts_and_who_is_refused_is_told_that() -> None:
    honest = [torch.randn(COUNT) for _ in range(2)]
    reducer, _answers = reduction(*honest, -50 * honest[0], own=0)
    assert [reducer.counted(0, sender) for sender in range(3)] == pytest.approx([1.0, 1.0, 0.02], abs=0.15)
    assert heard(answer((torch.zeros(3), reducer.counted(0, 2)))) < 0.04
    for too_large in (-150 * honest[1], -1000 * honest[1]):
        refusing, (_, refused) = reduction(honest[0], too_large, limit=SizeLimit(100.0), own=0)
        assert refusing.invalid_senders == {1} and isinstance(refused, BannedException)
    assert heard(averaging_pb2.AveragingData(code=averaging_pb2.PROTOCOL_VIOLATION)) == 0.0
    own, _answers = reduction(1000 * honest[0], honest[1], limit=SizeLimit(100.0), own=0)
    assert own.counted(0, 0) == 0.0, "it knows of its own part"


@pytest.mark.parametrize("weight", [0.0, -0.5, 1.5, float("nan"), float("inf")])
def test_a_reducer_that_says_nothing_of_it_or_nonsense_leaves_our_part_what_it_is(weight: float) -> None:
    assert heard(averaging_pb2.AveragingData(code=averaging_pb2.AVERAGED_PART, weight=weight)) == 1.0


def test_reducers_of_less_than_half_of_the_numbers_do_not_talk_us_into_anything() -> None:
    counted = CountedShares()
    for share, numbers in ((0.9, 300), (0.001, 250), (0.85, 60)):
        counted.add(share, numbers)
    assert counted.median() == 0.85
    assert CountedShares().median() == 1.0


def heard(*answers: averaging_pb2.AveragingData) -> float:
    """How far parts of 300 numbers count, according to a reducer that answers so."""

    class Reducer:
        """Its stub."""

        async def rpc_aggregate_part(self, _parts: Any) -> AsyncIterator[averaging_pb2.AveragingData]:
            async def told() -> AsyncIterator[averaging_pb2.AveragingData]:
                for each in answers:
                    yield each

            return told()

    async def listen() -> float:
        counted = CountedShares()
        stub = ListeningStub(Reducer(), [COUNT] * len(answers), counted)
        assert [each async for each in await stub.rpc_aggregate_part(as_aiter())] == [*answers]
        return counted.median()

    return asyncio.run(listen())


SHAPES = (20, 30), (50,)


def exchange(mine: list[Tensor]) -> tuple[DeltaContainer, EncodedTensors]:
    """An exchange in which one peer reduces all parts, and where it puts the averages."""
    sent, averages = EncodedTensors.of(mine, RULE.codec), EncodedTensors(SHAPES, RULE.codec)
    shapes = [torch.zeros(()).expand(shape) for shape in SHAPES]
    options: dict[str, Any] = {"compression": EncodedParts(), "codec": RULE.codec}
    return DeltaContainer(shapes, [1.0], sent=sent, averages=averages, return_deltas=True, **options), averages


def test_averages_are_kept_as_they_come_and_what_cannot_be_one_counts_as_no_change() -> None:
    mine = [torch.randn(shape) for shape in SHAPES]
    average = torch.randn(600)

    async def received(*parts: Tensor) -> tuple[DeltaContainer, EncodedTensors]:
        container, averages = exchange(mine)
        for number, part in enumerate(parts):
            container.register_processed_part(0, number, part)
        assert len([each async for each in container.iterate_output_tensors()]) == len(SHAPES)
        return container, averages

    good = RULE.codec.encode(average)
    for bad in (torch.zeros(9, dtype=torch.uint8), RULE.codec.encode(torch.full((50,), 1e6)), torch.zeros(50)):
        container, averages = asyncio.run(received(good, bad))
        assert container.invalid_senders == {0}
        assert not averages.is_whole and not averages.decoded(1).any()
        torch.testing.assert_close(averages.decoded(0).view(-1), average, atol=0.02, rtol=0)
    container, averages = asyncio.run(received(good, RULE.codec.encode(torch.randn(50))))
    assert averages.is_whole and container.invalid_senders == set()


def test_what_is_sent_is_what_was_encoded_and_a_lost_reducer_leaves_nothing() -> None:
    mine = [torch.randn(shape) for shape in SHAPES]

    async def sent() -> tuple[list[Tensor], EncodedTensors]:
        container, averages = exchange(mine)
        messages = [message async for message in container.iterate_input_parts_for(0)]
        container.register_processed_part(0, 0, RULE.codec.encode(torch.randn(600)))
        container.register_failed_reducer(0)
        assert len([each async for each in container.iterate_output_tensors()]) == len(SHAPES)
        return [deserialize_torch_tensor(message) for message in messages], averages

    messages, averages = asyncio.run(sent())
    assert all(map(torch.equal, messages, [RULE.codec.encode(each.view(-1)) for each in mine]))
    assert not averages.is_whole
