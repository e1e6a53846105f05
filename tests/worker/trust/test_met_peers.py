"""A crowd that only reports progress keeps a group from its steps for some rounds, and not for ever."""

from __future__ import annotations

from collections.abc import Iterable

from hivemind.p2p import PeerID

from core.worker.swarm.local_sgd.group_agreement import GroupAgreement, Told
from core.worker.swarm.trust.met_peers import PATIENCE_ROUNDS, REMEMBERED_ROUNDS, MetPeers

ONE, OTHER, ELSEWHERE = (PeerID(bytes([0x12, 0x20, number, *bytes(31)])) for number in range(3))
CROWD = [PeerID(bytes([0x12, 0x20, number, *bytes(31)])) for number in range(10, 30)]
GROUP = (ONE, OTHER)


class Group:
    """A group of two that has met a third peer, among those who have ``reported``."""

    def __init__(self, reported: Iterable[PeerID]) -> None:
        self.reported = {*reported}
        self.met = MetPeers(lambda: self.reported)
        self.met.end_round((*GROUP, ELSEWHERE), lacks_quorum=False)

    def held_up(self, rounds: int = PATIENCE_ROUNDS) -> Group:
        """The same after so many rounds that had no quorum."""
        for _ in range(rounds):
            self.end_round(lacks_quorum=True)
        return self

    def end_round(self, *, lacks_quorum: bool) -> None:
        """Both exchange what they have changed."""
        self.met.end_round(GROUP, lacks_quorum=lacks_quorum)


def test_who_reports_counts_until_a_group_has_waited_for_it_for_some_rounds() -> None:
    group = Group((*GROUP, *CROWD)).held_up(PATIENCE_ROUNDS - 1)
    assert group.met.count() == len(group.reported)
    assert group.held_up(1).met.count() == len(GROUP)


def test_a_round_with_a_step_is_no_waiting() -> None:
    group = Group((*GROUP, *CROWD)).held_up(PATIENCE_ROUNDS - 1)
    group.end_round(lacks_quorum=False)
    assert group.held_up(1).met.count() == len(GROUP) + len(CROWD)


def test_who_was_met_counts_wherever_it_is_now_so_that_two_halves_of_a_swarm_do_not_both_step() -> None:
    reported = (*GROUP, ELSEWHERE, *CROWD)
    assert Group(reported).held_up().met.count() == 3
    assert Group(reported).held_up(REMEMBERED_ROUNDS + 1).met.count() == 2


def test_the_crowd_counts_no_more_while_it_reports_though_the_group_steps_and_newcomers_do_once_it_is_gone() -> None:
    group = Group((*GROUP, *CROWD)).held_up()
    for _ in range(PATIENCE_ROUNDS):
        assert group.met.count() == len(GROUP)
        group.end_round(lacks_quorum=False)
    group.reported = {*GROUP}
    assert group.met.count() == group.met.count() == len(GROUP)
    group.end_round(lacks_quorum=False)
    group.reported = {*GROUP, CROWD[0]}
    assert group.met.count() == 3


def test_a_group_that_still_lacks_its_quorum_begins_to_wait_anew_once_the_crowd_is_gone() -> None:
    group = Group((*GROUP, *CROWD)).held_up()
    group.reported = {*GROUP, ELSEWHERE}
    group.held_up(1)
    group.reported = {*GROUP, ELSEWHERE, *CROWD}
    assert group.met.count() == len(group.reported)


def test_clients_that_are_ahead_of_the_only_reachable_peer_go_back_to_it_although_somebody_only_reports() -> None:
    """It was killed before it could take the step of its two clients, and has come back."""
    names = (ONE, OTHER, ELSEWHERE)
    met = {name: MetPeers(lambda: {*names, CROWD[0]}) for name in names}
    versions = {ONE: (4, b"old"), OTHER: (5, b"new"), ELSEWHERE: (5, b"new")}

    def have_stepped() -> list[bool]:
        told = {each: Told(9, (), *versions[each], each is ONE, met[each].count()).packed() for each in names}
        group = GroupAgreement.of(told, "")
        for each in names:
            met[each].end_round(names, lacks_quorum=group.lacks_quorum(versions[each], is_whole=True))
        return [group.may_step(versions[each], is_whole=True) for each in names]

    assert [have_stepped() for _ in range(PATIENCE_ROUNDS)] == [[False] * 3] * PATIENCE_ROUNDS
    assert have_stepped() == [True, False, False], "and the clients take its weights, as a quorum has stepped"
