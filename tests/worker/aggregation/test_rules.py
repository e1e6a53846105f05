"""Aggregation: a liar among three counts as much as anybody, and a large weight only for so much."""

from __future__ import annotations

import operator
from itertools import accumulate

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.run.spec.collaboration import Aggregation
from core.worker.swarm.aggregation.rules import aggregate, cap_heaviest, counted_aggregate

HONEST = torch.tensor([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]])
ROBUST: tuple[Aggregation, ...] = ("clip", "centered-clip")


def test_a_mean_is_weighted_by_samples() -> None:
    mean = aggregate(list(HONEST), [300.0, 100.0], "clip", weight_cap=4.0)
    torch.testing.assert_close(mean, torch.tensor([0.75, 0.25, 1.0]))


@pytest.mark.parametrize("rule", ROBUST)
@pytest.mark.parametrize("factor", [1000.0, -1000.0])
def test_one_liar_of_three_hardly_moves_the_aggregate(rule: Aggregation, factor: float) -> None:
    lie = factor * HONEST.mean(dim=0)
    aggregated = aggregate([*HONEST, lie], [1.0, 1.0, 1.0], rule, weight_cap=4.0)
    assert float(aggregated @ HONEST.mean(dim=0)) > 0
    assert float(aggregated.norm()) <= 1.5 * float(HONEST.norm(dim=1).max())
    assert float(aggregate([*HONEST, lie], [1.0, 1.0, 1.0], "mean", 4.0).norm()) > 100


def test_a_huge_weight_counts_for_at_most_so_many_times_the_median() -> None:
    parts = [torch.tensor([1.0]), torch.tensor([1.0]), torch.tensor([-1.0])]
    assert float(aggregate(parts, [1.0, 1.0, 1e9], "clip", weight_cap=1.0)) == pytest.approx(1 / 3)


@pytest.mark.parametrize("weights", [[1.0, 1.0, 1e9], [1.0, 1.0, 1.0, 1e9], [1.0, 1.0, 9.0, 9.0], [5.0, 4.0, 1e9, 1e9]])
def test_nobody_counts_for_more_than_a_third(weights: list[float]) -> None:
    count = len(weights)
    shares = aggregate(list(torch.eye(count)), weights, "mean", weight_cap=1000.0)
    assert float(shares.sum()) == pytest.approx(1.0)
    assert float(shares.max()) == pytest.approx(1 / 3, abs=1e-6)


@pytest.mark.parametrize(("rule", "left"), [("clip", 1 / 3), ("centered-clip", 0.91)])
def test_what_a_liar_with_the_opposite_sign_leaves_of_what_two_agree_on(rule: Aggregation, left: float) -> None:
    agreed = torch.tensor([3.0, 4.0])
    aggregated = aggregate([agreed, agreed, -1000.0 * agreed], [1.0, 1.0, 1e9], rule, weight_cap=4.0)
    torch.testing.assert_close(aggregated, left * agreed, rtol=0.01, atol=0.0)


@pytest.mark.parametrize("cap", [1.0, 2.0, 4.0])
def test_among_many_one_counts_for_so_many_times_the_median_as_the_run_says(cap: float) -> None:
    """The heaviest quarter may have a third of the weight, so that one of 31 could count for six others."""
    shares = aggregate(list(torch.eye(31)), [1.0] * 30 + [1e9], "mean", weight_cap=cap)
    torch.testing.assert_close(shares, torch.tensor([1.0] * 30 + [cap]) / (30 + cap))


def test_equal_weights_stay_equal_among_many() -> None:
    shares = aggregate(list(torch.eye(5)), [7.0] * 5, "mean", weight_cap=4.0)
    torch.testing.assert_close(shares, torch.full((5,), 0.2))


def test_who_has_no_weight_does_not_count() -> None:
    keeper = torch.full((3,), 1e6)
    torch.testing.assert_close(aggregate([keeper, HONEST[0]], [0.0, 5.0], "clip", 4.0), HONEST[0])
    assert not aggregate([keeper, keeper], [0.0, 0.0], "clip", 4.0).any()


@given(st.lists(st.floats(0, 1e12), max_size=40))
def test_the_heaviest_quarter_has_a_third_of_the_weight_at_the_most_and_equal_weights_stay(
    weights: list[float],
) -> None:
    capped = sorted(cap_heaviest(weights), reverse=True)
    quarter = sum(each > 0 for each in weights) // 4
    assert sum(capped[:quarter]) <= (1 + 1e-9) * sum(capped) / 3
    assert all(map(operator.le, cap_heaviest(weights), weights))
    assert cap_heaviest([3.0] * len(weights)) == [3.0] * len(weights)


@given(st.lists(st.tuples(st.floats(0, 1e12), st.sampled_from([1.0, 2 / 3, 1 / 3, 0.2])), max_size=40))
def test_the_quarter_is_one_of_shares_where_not_everybody_counts_as_a_whole_sender(
    senders: list[tuple[float, float]],
) -> None:
    senders = sorted((each for each in senders if each[0] > 0), reverse=True)
    weights, shares = [weight for weight, _ in senders], [share for _, share in senders]
    counted = [cap * share for cap, share in zip(cap_heaviest(weights, shares), shares, strict=True)]
    quarter = sum(below <= (1 + 1e-9) * sum(shares) / 4 for below in accumulate(shares))  # rounded down
    assert sum(counted[:quarter]) <= (1 + 1e-6) * sum(counted) / 3
    assert cap_heaviest([3.0] * len(shares), shares) == [3.0] * len(shares)


@pytest.mark.parametrize(
    ("weights", "capped"),
    [
        ([1.0] * 7 + [1e9] * 2, [1.0] * 7 + [1.75] * 2),
        ([1.0] * 8 + [4.0], [1.0] * 8 + [2.5]),
        ([1.0] * 8 + [2.0], [1.0] * 8 + [2.0]),
        ([1.0, 1.0, 9.0, 9.0], [1.0, 1.0, 2.0, 2.0]),
        ([5.0, 1e9], [5.0, 1e9]),
    ],
)
def test_the_heaviest_are_cut_by_no_more_than_leaves_them_a_third(weights: list[float], capped: list[float]) -> None:
    assert cap_heaviest(weights) == pytest.approx(capped)


RULES: tuple[Aggregation, ...] = ("mean", *ROBUST)


@pytest.mark.parametrize("rule", RULES)
def test_how_far_each_part_counts_is_its_coefficient_in_the_aggregate(rule: Aggregation) -> None:
    parts = list(torch.randn(4, 50, generator=torch.Generator().manual_seed(1)) * torch.tensor([[1], [2], [0.5], [40]]))
    aggregated, counted = counted_aggregate(parts, [1.0, 1.0, 1.0, 1.0], rule, weight_cap=4.0)
    if rule != "centered-clip":  # where some count for more than their weight, which is told as 1
        torch.testing.assert_close(aggregated, sum(s / 4 * part for s, part in zip(counted, parts, strict=True)))
    assert min(counted[0], counted[2]) > 0.9
    assert counted[3] == 1.0 if rule == "mean" else counted[3] < 0.2


def test_whose_weight_is_capped_counts_for_a_third_and_who_has_none_for_nothing() -> None:
    equal = [torch.ones(3)] * 4
    _, counted = counted_aggregate(equal, [0.0, 100.0, 100.0, 1e12], "clip", weight_cap=4.0)
    assert counted == pytest.approx([0.0, 1.0, 1.0, 1 / 3], rel=1e-6)
    assert counted_aggregate(equal, [0.0] * 4, "clip", 4.0)[1] == [0.0] * 4
    assert counted_aggregate([torch.zeros(3)] * 3, [1.0] * 3, "clip", 4.0)[1] == [1.0] * 3, "nothing was cut down"
