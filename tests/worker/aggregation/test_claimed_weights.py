"""Weights that senders claim: what each has reported bounds them, and who claims absurdly much is named."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.worker.swarm.aggregation.claimed_weights import ClaimedWeights, is_honest_account

WEIGHTS = st.floats(1, 1e6)


def absurd(claims: list[float], reported: list[float]) -> set[int]:
    """Who is named for such claims."""
    weights = ClaimedWeights([1.0] * len(claims), reported)
    for sender, claim in enumerate(claims):
        weights.credible(sender, claim)
    return weights.absurd()


def test_a_claim_counts_for_twice_what_was_reported_at_the_most() -> None:
    weights = ClaimedWeights([1.0], [100.0])
    assert weights.credible(0, 150.0) == 150.0
    assert weights.credible(0, 1e9) == 200.0


def test_a_crowd_that_counts_as_two_does_not_say_what_is_usual() -> None:
    crowd, reports = [0.1] * 20, [100.0] * 3 + [0.0] + [1e9] * 20
    weights = ClaimedWeights([1.0] * 4 + crowd, reports)
    assert weights.credible(3, 1e12) == 100.0
    for sender, claim in enumerate([100.0] * 4 + [1e12] * 20):
        weights.credible(sender, claim)
    assert weights.absurd() == {*range(3, 24)}


def test_who_has_reported_nothing_counts_for_the_median_of_the_reports_at_the_most_and_we_for_what_we_know() -> None:
    weights = ClaimedWeights([1.0] * 4, [0.0, 100.0, 120.0, 0.0], own=3)
    assert weights.credible(0, 1e9) == 120.0 and weights.credible(0, 30.0) == 30.0
    assert weights.credible(3, 500.0) == 500.0
    nobody_reported = ClaimedWeights([1.0] * 2, [0.0] * 2)
    assert nobody_reported.credible(1, 500.0) == 500.0


def test_who_claims_a_hundred_times_as_much_as_most_and_has_not_reported_it_is_named() -> None:
    assert absurd([100.0, 90.0, 1e9], [0.0] * 3) == {2}
    assert absurd([4.0, 4.0, 960.0], [0.0, 0.0, 960.0]) == set()
    assert absurd([0.0, 0.0, 0.0], [0.0] * 3) == set()


def test_of_two_only_who_has_reported_less_is_named() -> None:
    assert absurd([100.0, 1e9], [0.0, 0.0]) == set()
    assert absurd([100.0, 1e9], [0.0, 80.0]) == {1}


@given(claimed=WEIGHTS, heard=st.one_of(st.just(0.0), WEIGHTS), known=st.floats(0, 1))
def test_an_auditor_finds_every_reducer_right_that_has_heard_as_much_as_all_must_have(
    claimed: float, heard: float, known: float
) -> None:
    given_weight = ClaimedWeights([1.0], [heard]).credible(0, claimed)
    assert is_honest_account(given_weight, claimed, known * heard, 0.999)


def test_a_claim_is_neither_raised_nor_taken_for_nothing_nor_for_less_than_all_have_heard_of() -> None:
    assert not is_honest_account(300.1, 300.0, 0.0, 1 / 3)
    assert not is_honest_account(0.0, 300.0, 0.0, 1 / 3)
    assert not is_honest_account(30.0, 300.0, 120.0, 1 / 3) and is_honest_account(41.0, 300.0, 120.0, 1 / 3)
    assert is_honest_account(0.0, 0.0, 120.0, 1 / 3) and not is_honest_account(1.0, 0.0, 120.0, 1 / 3)
