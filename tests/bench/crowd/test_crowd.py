"""The rows about crowds of peers."""

from __future__ import annotations

import pytest

from tests.bench.crowd.crowd import MUST_HOLD, Crowds, crowd, crowd_rows
from tests.support.learning.member_costs import MemberCost
from tests.support.peers.learning_rows import Outcome

AVERAGED = 4_000.0  # bytes a second, which a larger model would have more of


def outcome(whole: float, moved: float) -> Outcome:
    """Of a keeper and two volunteers, each of whom has moved so many bytes a second beside its averages."""
    rates = {"moved_bytes_per_second": moved + AVERAGED, "averaged_bytes_per_second": AVERAGED}
    cost = MemberCost(core_share=0.03, memory_bytes=2**28, **rates)
    none: list[list[float]] = [[], [], []]
    return Outcome(
        row="", losses=none, epochs=[], rounds=[], failures=[], seconds=0.0, whole=[whole] * 3, costs=[cost] * 3
    )


@pytest.mark.parametrize(
    ("whole", "moved", "is_reached"), [(1.0, 1_500.0, True), (0.9, 1_500.0, False), (1.0, 2_500.0, False)]
)
def test_most_rounds_are_whole_and_little_moves_beside_averages(whole: float, moved: float, is_reached: bool) -> None:
    measured = Crowds((MUST_HOLD,), outcomes={("gradients", MUST_HOLD): outcome(whole, moved)})
    of_gradients, of_local_sgd = crowd_rows(measured)
    assert of_gradients.is_reached is is_reached and of_local_sgd.is_reached is None


def test_a_crowd_is_a_keeper_and_volunteers_of_whom_a_quarter_can_be_reached() -> None:
    row = crowd("local-sgd", 32, 120.0)
    assert row.members[0].keeps and not any(member.keeps for member in row.members[1:])
    assert [member.mode for member in row.members[1:]].count("direct") == 8
    assert all(member.is_led for member in row.members), "what a run asks of its members is counted, too"
