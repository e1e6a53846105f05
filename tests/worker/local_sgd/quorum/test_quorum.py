"""What a group makes of that which its members tell: which base weights are right, and whether they step."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.worker.swarm.local_sgd.group_agreement import GroupAgreement, Told, is_quorum

PEERS = st.integers(1, 1000)
OLD, NEW = (4, b"old"), (5, b"new")


def group(*told: tuple[int, bytes, bool, int], unsure: int = 0) -> GroupAgreement:
    """Of members with such versions, who share them or not, and know of so many peers; the last ones are not sure."""
    numbered = enumerate(told, unsure + 1)
    return GroupAgreement(Told(9, (), *each, is_sure=number <= len(told)).packed() for number, each in numbered)


@given(PEERS)
def test_all_but_one_of_three_or_more_have_a_quorum(peers: int) -> None:
    assert is_quorum(peers, 0, 0)
    assert is_quorum(peers - 1, 0, 1) == (peers > 2)


def test_two_of_three_of_which_one_is_behind_have_no_quorum() -> None:
    assert group((*NEW, True, 3), (*NEW, False, 3)).has_quorum
    assert not group((*NEW, True, 3), (*OLD, False, 3)).has_quorum


def test_a_group_of_all_has_a_quorum_however_many_newcomers_are_still_behind() -> None:
    assert group((*NEW, True, 4), (*OLD, False, 4), (*OLD, False, 4), (*OLD, False, 4)).has_quorum
    assert not group((*NEW, True, 5), (*OLD, False, 5), (*OLD, False, 5), (*OLD, False, 5)).has_quorum


def test_of_two_that_differ_the_one_with_the_right_base_weights_goes_on_and_the_other_looks_for_the_outcome() -> None:
    right, wrong = Told(9, (), *NEW, True, 2).packed(), Told(9, (), NEW[0], b"wrong", True, 2).packed()
    assert GroupAgreement([right, wrong], told_by_organiser=right).has_quorum


def test_who_may_have_missed_a_step_does_not_count_while_anybody_else_may_have_taken_it() -> None:
    assert not group((*NEW, True, 3), (*NEW, False, 3), unsure=1).has_quorum
    assert group((*NEW, True, 4), (*NEW, True, 4), (*NEW, False, 4), unsure=1).has_quorum is False
    assert group((*NEW, True, 5), (*NEW, True, 5), (*NEW, True, 5), (*NEW, False, 5), unsure=1).has_quorum


@pytest.mark.parametrize("unsure", [1, 2, 3])
def test_where_all_are_in_the_group_an_exchange_that_has_failed_for_some_holds_nobody_up(unsure: int) -> None:
    """Nobody else can have taken the step; the only one that shares its base weights is not sure of them."""
    assert group((*NEW, False, 3), (*NEW, False, 3), (*NEW, True, 3), unsure=unsure).has_quorum
    assert group((*NEW, False, 3), (*OLD, False, 3), (*NEW, True, 3), unsure=unsure).has_quorum


@pytest.mark.parametrize("lie", [(NEW[0] + 100, b"lie", True, 3), (*NEW, True, 10**9), (*OLD, False, 10**9)])
def test_one_of_three_who_lies_holds_nobody_up_where_the_organiser_is_one_of_them_or_both_others_share(
    lie: tuple[int, bytes, bool, int],
) -> None:
    organiser, client, liar = (Told(9, (), *each).packed() for each in ((*NEW, True, 3), (*NEW, False, 3), lie))
    assert GroupAgreement([organiser, client, liar], organiser).may_step(NEW, is_whole=True)
    assert GroupAgreement([organiser, organiser, liar]).may_step(NEW, is_whole=True)


def test_who_is_sure_of_its_base_weights_is_asked_before_who_is_not() -> None:
    assert group((*NEW, True, 3), (*OLD, True, 3), (*OLD, True, 3), unsure=2).version == NEW
    assert group((*NEW, True, 3), (*OLD, True, 3), (*OLD, True, 3), unsure=3).version == OLD


def test_a_group_that_takes_no_step_is_told_why_and_what_becomes_of_its_work() -> None:
    two_of_nine = group((*NEW, True, 9), (*NEW, True, 9))
    assert str(two_of_nine.step_error(NEW, is_whole=True)) == (
        "only 2 of 9 peers took part with the latest weights, and a step takes more than half; "
        "what was learned is kept for the next round"
    )
    assert not group((*NEW, True, 3), (*NEW, True, 3)).step_error(NEW, is_whole=True)
    with_one_ahead = group((*OLD, True, 5), (*OLD, True, 5), (*NEW, True, 5), unsure=1)
    assert "catches up with a peer that is ahead" in str(with_one_ahead.step_error(OLD, is_whole=True))


def test_who_has_other_weights_than_its_group_or_not_the_whole_average_is_told_so() -> None:
    most = group((*NEW, True, 3), (*NEW, True, 3), (*OLD, True, 3))
    assert "are not those of the others" in str(most.step_error(OLD, is_whole=True))
    assert "a part of the average was lost" in str(most.step_error(NEW, is_whole=False))
    assert "no peer of the group can share" in str(
        group((*NEW, False, 2), (*NEW, False, 2)).step_error(NEW, is_whole=True)
    )
    behind = group((*OLD, True, 9), (*OLD, True, 9), (*NEW, False, 9))
    assert "are behind this computer" in str(behind.step_error((6, b"later"), is_whole=True))


def test_members_that_know_of_different_numbers_of_peers_decide_by_the_median() -> None:
    assert group((*NEW, True, 5), (*NEW, False, 5), (*NEW, False, 6)).has_quorum
    assert not group((*NEW, True, 6), (*NEW, False, 5), (*NEW, False, 6)).has_quorum


def test_of_two_members_the_one_that_knows_of_more_peers_is_believed() -> None:
    assert not group((*NEW, True, 2), (*NEW, False, 4)).has_quorum


@pytest.mark.parametrize("lie", [10**9, -1])
def test_one_of_three_who_lies_about_the_number_of_peers_changes_nothing(lie: int) -> None:
    assert group((*NEW, True, 3), (*NEW, False, 3), (*NEW, False, lie)).peers == 3


def test_the_version_is_that_of_most_who_share_theirs() -> None:
    assert group((*OLD, True, 3), (*NEW, True, 3), (*OLD, True, 3), (*NEW, False, 3), (*NEW, False, 3)).version == OLD
    assert group((*OLD, True, 2), (*NEW, True, 2)).version == NEW
    assert group((*NEW, False, 1)).version is None


def test_of_two_versions_that_as_many_have_the_organisers_is_right() -> None:
    old, new = Told(9, (), *OLD, True, 2).packed(), Told(9, (), *NEW, True, 2).packed()
    assert GroupAgreement([old, new], told_by_organiser=old).version == OLD
    assert GroupAgreement([old, new, new], told_by_organiser=old).version == NEW


@pytest.mark.parametrize(
    "nonsense",
    [
        None,
        (1, 2),
        [9, (), *NEW, True, 2, True],
        (9, [], *NEW, True, 2, True),
        (9, ("peer",), *NEW, True, 2, True),
        (9, (), NEW[0], "new", True, 2, True),
        (9, (), *NEW, 1, 2, True),
        (9, (), *NEW, True, True, True),
        (9, (), *NEW, True, 2),
        (9, (), *NEW, True, 2, True, 0),
    ],
)
def test_who_tells_nonsense_is_no_member(nonsense: Any) -> None:
    assert GroupAgreement([Told(9, (), *NEW, True, 2).packed(), nonsense]).size == 1
    assert GroupAgreement([nonsense]).peers == 0


def test_what_a_member_tells_is_read_as_it_was_meant() -> None:
    told = Told(9, (b"peer",), *NEW, True, 2, is_sure=False)
    assert told.packed() == (9, (b"peer",), *NEW, True, 2, False) and Told.read(told.packed()) == told
