"""Of two groups at the same time at most one steps, a whole swarm always does, and all of a group decide alike."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.worker.swarm.local_sgd.group_agreement import GroupAgreement, Told, is_majority

PEERS = st.integers(1, 1000)
OLD, NEW = (4, b"old"), (5, b"new")


def group(*told: tuple[int, bytes, bool, int]) -> GroupAgreement:
    """Of members with such versions, who share them or not, and know of so many peers."""
    return GroupAgreement(Told(9, *each).packed() for each in told)


@given(PEERS, st.data())
def test_of_two_groups_at_most_one_is_the_majority(peers: int, data: st.DataObject) -> None:
    size = data.draw(st.integers(0, peers))
    assert not (is_majority(size, peers) and is_majority(peers - size, peers))


@given(PEERS)
def test_all_but_one_of_three_or_more_are_the_majority(peers: int) -> None:
    assert is_majority(peers, peers)
    assert is_majority(peers - 1, peers) == (peers > 2)


def test_members_that_know_of_different_numbers_of_peers_decide_by_the_median() -> None:
    assert group((*NEW, True, 5), (*NEW, False, 5), (*NEW, False, 6)).is_majority
    assert not group((*NEW, True, 6), (*NEW, False, 5), (*NEW, False, 6)).is_majority


def test_of_two_members_the_one_that_knows_of_more_peers_is_believed() -> None:
    assert not group((*NEW, True, 2), (*NEW, False, 4)).is_majority


@pytest.mark.parametrize("lie", [10**9, -1])
def test_one_of_three_who_lies_about_the_number_of_peers_changes_nothing(lie: int) -> None:
    assert group((*NEW, True, 3), (*NEW, False, 3), (*NEW, False, lie)).peers == 3


def test_the_version_is_that_of_most_who_share_theirs() -> None:
    assert group((*OLD, True, 3), (*NEW, True, 3), (*OLD, True, 3), (*NEW, False, 3), (*NEW, False, 3)).version == OLD
    assert group((*OLD, True, 2), (*NEW, True, 2)).version == NEW
    assert group((*NEW, False, 1)).version is None


def test_of_two_versions_that_as_many_have_the_organisers_is_right() -> None:
    old, new = Told(9, *OLD, True, 2).packed(), Told(9, *NEW, True, 2).packed()
    assert GroupAgreement([old, new], told_by_organiser=old).version == OLD
    assert GroupAgreement([old, new, new], told_by_organiser=old).version == NEW


@pytest.mark.parametrize(
    "nonsense", [None, (1, 2), (9, 5, b"new", 1, 3, ()), (9, 5, "new", True, 3, ()), (9, 5, b"new", True)]
)
def test_who_tells_nonsense_is_no_member(nonsense: Any) -> None:
    assert GroupAgreement([Told(9, *NEW, True, 2).packed(), nonsense]).size == 1
    assert GroupAgreement([nonsense]).peers == 0
