"""The two aggregators: what one of several peers sends or returns has no more effect than an honest peer's."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable

import pytest
import torch
from hivemind.p2p import PeerID
from torch import Tensor

from core.run.spec.collaboration import Aggregation
from core.worker.swarm.aggregation.aggregators import (
    AggregationRule,
    Aggregator,
    GradientAggregator,
    Sent,
    StateAggregator,
)
from core.worker.swarm.aggregation.answer_bounds import FIRST_MOVEMENT
from core.worker.swarm.aggregation.claimed_weights import ReportedSamples
from core.worker.swarm.aggregation.rules import aggregate
from core.worker.swarm.averaging.part_reducers import RobustReducer

COUNT = 4096
PEERS = [PeerID(bytes([number]) * 8) for number in range(9)]
SIGNAL = torch.randn(COUNT, generator=torch.Generator().manual_seed(1))


def gradients(count: int, noise: float = 2.0, seed: int = 0) -> list[Tensor]:
    """Honest ones: the same signal, and noise of each."""
    generator = torch.Generator().manual_seed(seed)
    return [SIGNAL + noise * torch.randn(COUNT, generator=generator) for _ in range(count)]


def reduced(aggregator: Aggregator, sent: list[Tensor], weights: list[float] | None = None) -> Tensor:
    """What a real reducer, who is the first sender, answers in an exchange of one part."""

    async def answer() -> Tensor:
        aggregator.begin([sent[0]], PEERS[: len(sent)], 0)
        reducer = RobustReducer([sent[0]], len(sent), aggregator, aggregator.movements)
        asked = [
            reducer.accumulate_part(number, 0, part, weight)
            for number, (part, weight) in enumerate(zip(sent, weights or [1.0] * len(sent), strict=True))
        ]
        first, *_ = await asyncio.gather(*asked)
        aggregator.end([first])
        return first

    return asyncio.run(answer())


def along_signal(answer: Tensor) -> float:
    """How much of the signal is left in it."""
    return float(answer @ SIGNAL / (SIGNAL @ SIGNAL))


@pytest.mark.parametrize("count", [3, 9])
@pytest.mark.parametrize("rule", ["clip", "centered-clip"])
def test_one_who_flips_its_gradients_is_left_out_after_some_rounds_and_heard_again_later(
    count: int, rule: Aggregation
) -> None:
    aggregator = GradientAggregator(AggregationRule(rule))
    for seed in range(4):
        honest = gradients(count, seed=seed)
        last = reduced(aggregator, [*honest[:-1], -honest[-1]])
    alone = reduced(GradientAggregator(AggregationRule(rule)), honest[:-1])
    torch.testing.assert_close(last, alone)
    for seed in range(4, 8):
        last = reduced(aggregator, gradients(count, seed=seed))
    torch.testing.assert_close(last, reduced(GradientAggregator(AggregationRule(rule)), gradients(count, seed=7)))


def test_who_sends_pure_noise_or_little_is_never_left_out() -> None:
    aggregator = GradientAggregator(AggregationRule())
    for seed in range(20):
        parts = gradients(3, noise=30.0, seed=seed)
        last = reduced(aggregator, parts, [300.0, 300.0, 3.0])
    torch.testing.assert_close(last, reduced(GradientAggregator(AggregationRule()), parts, [300.0, 300.0, 3.0]))
    assert not aggregator.named


@pytest.mark.parametrize("factor", [-99.0, -50.0])
def test_a_hundred_times_the_opposite_is_worth_no_more_than_the_opposite(factor: float) -> None:
    one, two, liar = gradients(3)
    answer = reduced(GradientAggregator(AggregationRule()), [one, two, factor * liar], [1.0, 1.0, 1e9])
    assert along_signal(answer) > 0.2


LIARS = [*itertools.combinations(range(1, 9), 2)]  # we are the first one


@pytest.mark.parametrize("reported", [0.0, 100.0], ids=["nobody has reported", "the honest have reported"])
def test_no_two_of_nine_have_more_than_a_third_of_an_average_whatever_they_claim(reported: float) -> None:
    """A median of seven honest weights leaves two that count for four of it each 8 of 15, which is 53 %."""
    for liars in LIARS:
        aggregator = GradientAggregator(AggregationRule())
        aggregator.know_samples(ReportedSamples({PEERS[each]: reported for each in range(9) if each not in liars}))
        sent = [torch.eye(9)[each].repeat(10) for each in range(9)]
        shares = reduced(aggregator, sent, [1e9 if each in liars else 100.0 for each in range(9)])[:9]
        assert float(shares.sum()) == pytest.approx(1.0)
        assert float(shares[[*liars]].sum()) <= (1 / 3 if not reported else 2 / 9) + 1e-6


def test_an_honest_computer_with_four_times_the_samples_of_eight_others_counts_for_two_and_a_half_of_them() -> None:
    aggregator = GradientAggregator(AggregationRule())
    aggregator.know_samples(ReportedSamples({peer: 400.0 if peer == PEERS[8] else 100.0 for peer in PEERS[1:]}))
    sent = [torch.eye(9)[each].repeat(10) for each in range(9)]
    shares = reduced(aggregator, sent, [100.0] * 8 + [400.0])[:9]
    assert float(shares[8] / shares[0]) == pytest.approx(2.5)
    assert not aggregator.named


def test_the_opposite_of_two_of_nine_that_claim_a_billion_samples_turns_no_step_around() -> None:
    honest = gradients(9)
    sent = [*honest[:7], -99 * honest[7], -99 * honest[8]]
    answer = reduced(GradientAggregator(AggregationRule()), sent, [100.0] * 7 + [1e9] * 2)
    assert along_signal(answer) > 0.25


def test_the_norm_of_each_senders_gradient_is_compared_with_the_median() -> None:
    aggregator = GradientAggregator(AggregationRule())
    first, second, third = gradients(3, noise=0.0)
    reduced(aggregator, [first, 2 * second, 0.5 * third])
    assert aggregator.norm_ratios() == pytest.approx({0: 1.0, 1: 2.0, 2: 0.5})
    reduced(aggregator, [first, 3 * second])  # of two there is no median
    assert aggregator.norm_ratios() == {}


def test_a_billion_samples_are_named_and_count_for_those_that_were_reported() -> None:
    one, two, liar = gradients(3)
    aggregator = GradientAggregator(AggregationRule("mean"))
    aggregator.know_samples(ReportedSamples({PEERS[2]: 50.0}))
    answer = reduced(aggregator, [one, two, liar], [100.0, 100.0, 1e9])
    torch.testing.assert_close(answer, (one + two + liar) / 3)
    assert aggregator.named == {2}


def test_who_has_computed_much_more_than_newcomers_and_has_reported_it_is_not_named() -> None:
    aggregator = GradientAggregator(AggregationRule())
    aggregator.know_samples(ReportedSamples({PEERS[2]: 960.0}))
    reduced(aggregator, gradients(3), [4.0, 4.0, 960.0])
    assert not aggregator.named


def test_with_two_the_other_counts_for_four_times_ours_at_most() -> None:
    mine, theirs = gradients(2)
    answer = reduced(GradientAggregator(AggregationRule()), [mine, theirs], [1.0, 1e9])
    torch.testing.assert_close(answer, (mine + 4 * theirs) / 5)


@pytest.mark.parametrize("claimed", [1.0, 1e9])
@pytest.mark.parametrize("lie", [torch.zeros(COUNT), 100 * torch.ones(COUNT), -SIGNAL], ids=["zero", "far", "opposite"])
def test_a_state_that_two_of_three_have_is_the_states_average(claimed: float, lie: Tensor) -> None:
    aggregator = StateAggregator(AggregationRule())
    torch.testing.assert_close(reduced(aggregator, [SIGNAL, SIGNAL, lie], [1.0, 1.0, claimed]), SIGNAL)
    assert aggregator.named <= {2}


@pytest.mark.parametrize(("factor", "named"), [(1.001, set()), (-1.0, {2})], ids=["a step apart", "another model"])
def test_who_has_made_a_step_alone_is_not_named_for_its_moments_of_that_step(factor: float, named: set[int]) -> None:
    aggregator, moments = StateAggregator(AggregationRule()), 1e-4 * SIGNAL**2
    aggregator.begin([SIGNAL, moments], PEERS[:3], 0)
    for part, theirs in ((SIGNAL, factor * SIGNAL), (moments, 4 * moments)):
        aggregator.aggregated([Sent(0, part, 1.0), Sent(1, part, 1.0), Sent(2, theirs, 1.0)], part, 0.01)
    assert aggregator.named == named


def test_of_two_states_the_other_pulls_ours_by_no_more_than_a_share_of_its_size() -> None:
    mine, theirs = SIGNAL, torch.zeros(COUNT)
    moved = reduced(StateAggregator(AggregationRule()), [mine, theirs], [1.0, 1e9]) - mine
    assert 0 < float(moved.norm()) <= FIRST_MOVEMENT * float(mine.norm())


def honest_rounds(aggregator: Aggregator, draw: Callable[[int], list[Tensor]], rounds: int = 3) -> None:
    """Three reducers, the first of whom we are, return what they should; each has a third of the numbers."""
    for seed in range(rounds):
        parts = draw(seed)
        mean = torch.stack(parts).mean(dim=0)
        aggregator.begin([parts[0]], PEERS[:3], 0)
        for reducer, index in enumerate(torch.arange(COUNT).chunk(3)):
            mine, change = parts[0][index], (mean - parts[0])[index]
            torch.testing.assert_close(aggregator.answers.bounded(reducer, mine, change, 0.01), change)
        assert aggregator.answers.end(0, PEERS) == frozenset()


@pytest.mark.parametrize("noise", [0.1, 2.0, 10.0])
@pytest.mark.parametrize(
    ("lie", "is_gross"), [("opposite", True), ("huge", True), ("nothing", False), ("noise", False)]
)
def test_an_answer_without_our_own_gradient_in_it_is_replaced_by_ours(noise: float, lie: str, is_gross: bool) -> None:
    aggregator = GradientAggregator(AggregationRule())
    honest_rounds(aggregator, lambda seed: gradients(3, noise, seed))
    parts = gradients(3, noise, seed=99)
    mean, mine = torch.stack(parts).mean(dim=0), parts[0]
    answers = {
        "opposite": -mean,
        "huge": -1000 * mean,
        "nothing": torch.zeros(COUNT),
        "noise": torch.randn(COUNT, generator=torch.Generator().manual_seed(5)) * float(mean.norm()) / COUNT**0.5,
    }
    for is_known in (lie == "huge", is_gross):  # one opposite answer may come of a gradient that changes its sign
        aggregator.begin([mine], PEERS[:3], 0)
        assert torch.equal(aggregator.answers.bounded(0, mine, mean - mine, 0.0), mean - mine)
        change = aggregator.answers.bounded(1, mine, answers[lie] - mine, 0.0)
        assert not change.any()
        assert aggregator.answers.end(0, PEERS) == ({1} if is_known else frozenset())


@pytest.mark.parametrize("rule", ["mean", "clip"])
def test_who_has_computed_little_in_an_epoch_takes_the_average_although_little_of_it_is_its_own(
    rule: Aggregation,
) -> None:
    """Its gradient of ten samples is noise mostly; a step along that, in place of the average, would be wasted."""
    usual, few, noise = 300.0, 10.0, 17.0  # of a sample, in units of the signal

    def drawn(seed: int, samples: list[float]) -> tuple[list[Tensor], Tensor]:
        generator = torch.Generator().manual_seed(seed)
        parts = [SIGNAL + noise / each**0.5 * torch.randn(COUNT, generator=generator) for each in samples]
        return parts, aggregate(parts, samples, rule, 4.0)

    aggregator = GradientAggregator(AggregationRule(rule))
    for seed, own in enumerate([usual, usual, usual, few]):
        parts, answer = drawn(seed, [own, usual, usual, usual])
        aggregator.know_samples(ReportedSamples(dict.fromkeys(PEERS[1:4], usual)))
        aggregator.begin([parts[0]], PEERS[:4], 0, own)
        change = aggregator.answers.bounded(1, parts[0], answer - parts[0], 0.0)
        torch.testing.assert_close(parts[0] + change, answer)
        assert aggregator.answers.end(0, PEERS) == frozenset()
    assert not aggregator.answers.bounded(2, parts[0], -answer - parts[0], 0.0).any()


@pytest.mark.parametrize("others", [1, 2])
def test_who_missed_a_step_and_differs_from_all_reducers_keeps_its_gradient_and_names_nobody(others: int) -> None:
    """At the edge of stability the gradient changes its sign at each step: that of earlier weights is the opposite."""
    aggregator, (mine,) = GradientAggregator(AggregationRule()), gradients(1, noise=0.5)
    honest_rounds(aggregator, lambda seed: gradients(5, 0.5, seed))
    for _ in range(3):
        aggregator.begin([mine], PEERS[:5], None)
        for reducer in range(others):
            assert not aggregator.answers.bounded(reducer, mine, -2 * mine, 0.0).any()
        assert aggregator.answers.end(None, PEERS) == frozenset()


def test_a_far_larger_answer_is_scaled_down_and_named() -> None:
    aggregator = GradientAggregator(AggregationRule())
    honest_rounds(aggregator, lambda seed: gradients(3, 2.0, seed))
    (mine,) = gradients(1)
    aggregator.begin([mine], PEERS[:3], 0)
    answer = mine + aggregator.answers.bounded(1, mine, 1000 * mine, 0.0)
    assert float(answer.norm()) <= 1.5 * float(mine.norm())
    assert aggregator.answers.end(0, PEERS) == {1}


def test_who_has_computed_nothing_takes_what_comes() -> None:
    aggregator, (theirs,) = GradientAggregator(AggregationRule()), gradients(1)
    aggregator.begin([torch.zeros(COUNT)], PEERS[:2], 0)
    assert torch.equal(aggregator.answers.bounded(1, torch.zeros(COUNT), theirs, 0.0), theirs)


def test_a_reducer_that_returns_another_state_moves_ours_by_half_a_step_and_is_named() -> None:
    aggregator = StateAggregator(AggregationRule())
    honest_rounds(aggregator, lambda seed: [SIGNAL + 1e-4 * each for each in gradients(3, 1.0, seed)])
    aggregator.begin([SIGNAL], PEERS[:3], 0)
    assert not aggregator.answers.bounded(0, SIGNAL, torch.zeros(COUNT), 0.01).any()
    pulled = aggregator.answers.bounded(1, SIGNAL, -3 * SIGNAL, 0.01)
    assert float(pulled.norm()) == pytest.approx(0.005 * float(SIGNAL.norm()), rel=0.01)
    assert aggregator.answers.end(0, PEERS) == {1}


def test_a_lying_reducer_that_was_once_the_only_one_has_no_freer_hand_afterwards() -> None:
    aggregator = StateAggregator(AggregationRule())
    for _ in range(2):
        aggregator.begin([SIGNAL], PEERS[:3], None)
        pulled = aggregator.answers.bounded(1, SIGNAL, -SIGNAL, 0.01)
        aggregator.answers.end(None, PEERS)
    assert float(pulled.norm()) <= 3 * 0.005 * float(SIGNAL.norm())


def test_who_has_missed_a_step_comes_back_to_the_others_in_some_rounds() -> None:
    aggregator, state = StateAggregator(AggregationRule()), SIGNAL + 0.02 * torch.randn(COUNT)
    for _ in range(6):
        aggregator.begin([state], PEERS[:3], None)
        state = state + aggregator.answers.bounded(0, state, SIGNAL - state, 0.01)
        assert aggregator.answers.end(None, PEERS) == frozenset()
    torch.testing.assert_close(state, SIGNAL)
