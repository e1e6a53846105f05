"""The plan of a soak: the same seed does the same to the same volunteers, and everything has its turn."""

from __future__ import annotations

import itertools

import pytest

from tests.soak.plan import (
    ARRIVING_SECONDS,
    CALM_SECONDS,
    KINDS,
    REST_SECONDS,
    SECONDS,
    SETTLING_SECONDS,
    plan_of,
)

HALF_AN_HOUR = 1800.0


def test_the_same_seed_makes_the_same_plan_and_another_seed_another() -> None:
    assert plan_of(7, 8, HALF_AN_HOUR) == plan_of(7, 8, HALF_AN_HOUR)
    assert plan_of(7, 8, HALF_AN_HOUR) != plan_of(8, 8, HALF_AN_HOUR)


def test_a_plan_is_known_for_ever() -> None:
    first = plan_of(1, 4, 180.0).faults[0]
    assert (round(first.at, 3), first.volunteer, first.kind, round(first.seconds, 3)) == (
        51.945,
        3,
        "p2pd killed",
        0.0,
    )


@pytest.mark.parametrize("seed", range(20))
def test_whoever_has_just_had_a_fault_is_left_alone_for_a_while(seed: int) -> None:
    plan = plan_of(seed, 4, HALF_AN_HOUR)
    for volunteer in range(4):
        mine = [fault for fault in plan.faults if fault.volunteer == volunteer]
        assert len(mine) > 5
        assert mine[0].at >= plan.arrivals[volunteer] + SETTLING_SECONDS
        for one, following in itertools.pairwise(mine):
            assert following.at >= one.end + REST_SECONDS


@pytest.mark.parametrize("seed", range(20))
def test_there_is_time_to_arrive_and_time_to_heal(seed: int) -> None:
    plan = plan_of(seed, 8, 180.0)
    assert len(plan.arrivals) == 8 and max(plan.arrivals) <= ARRIVING_SECONDS
    for fault in plan.faults:
        assert ARRIVING_SECONDS + SETTLING_SECONDS < fault.at <= fault.end <= plan.seconds - CALM_SECONDS
        assert 0.0 <= fault.seconds <= SECONDS.get(fault.kind, (0.0, 0.0))[1]


@pytest.mark.parametrize("seed", range(20))
def test_every_kind_has_its_turn_before_one_has_its_second(seed: int) -> None:
    kinds = [fault.kind for fault in plan_of(seed, 8, HALF_AN_HOUR).faults]
    assert len(kinds) > 100
    for begin in range(0, len(kinds) - len(KINDS), len(KINDS)):
        assert set(kinds[begin : begin + len(KINDS)]) == set(KINDS)


def test_what_cannot_be_done_here_is_left_out() -> None:
    kinds = tuple(kind for kind in KINDS if kind != "line cut")
    assert {fault.kind for fault in plan_of(1, 8, HALF_AN_HOUR, kinds).faults} == set(kinds)
