"""A crowd that only reports progress keeps a group from its steps for some rounds, and not for ever."""

from __future__ import annotations

from hivemind.p2p import PeerID

from core.worker.swarm.trust.met_peers import PATIENCE_ROUNDS, REMEMBERED_ROUNDS, MetPeers

ONE, OTHER, ELSEWHERE = (PeerID(bytes([0x12, 0x20, number, *bytes(31)])) for number in range(3))
CROWD = [PeerID(bytes([0x12, 0x20, number, *bytes(31)])) for number in range(10, 30)]
GROUP = (ONE, OTHER)


def held_up(rounds: int = PATIENCE_ROUNDS) -> MetPeers:
    """Those of a group of two that had no quorum in so many rounds, after it had met a third peer."""
    met = MetPeers()
    met.see((*GROUP, ELSEWHERE), lacks_quorum=False)
    for _ in range(rounds):
        met.see(GROUP, lacks_quorum=True)
    return met


def test_who_reports_counts_until_a_group_has_waited_for_it_for_some_rounds() -> None:
    reported = (*GROUP, *CROWD)
    assert held_up(PATIENCE_ROUNDS - 1).count(reported) == len(reported)
    assert held_up().count(reported) == len(GROUP)


def test_a_round_with_a_step_is_no_waiting() -> None:
    met = held_up(PATIENCE_ROUNDS - 1)
    met.see(GROUP, lacks_quorum=False)
    met.see(GROUP, lacks_quorum=True)
    assert met.count((*GROUP, *CROWD)) == len(GROUP) + len(CROWD)


def test_who_was_met_counts_wherever_it_is_now_so_that_two_halves_of_a_swarm_do_not_both_step() -> None:
    assert held_up().count((*GROUP, ELSEWHERE, *CROWD)) == 3
    assert held_up(REMEMBERED_ROUNDS + 1).count((*GROUP, ELSEWHERE, *CROWD)) == 2


def test_the_crowd_counts_no_more_while_it_reports_though_the_group_steps_and_newcomers_do_once_it_is_gone() -> None:
    met = held_up()
    for _ in range(PATIENCE_ROUNDS):
        assert met.count((*GROUP, *CROWD)) == len(GROUP)
        met.see(GROUP, lacks_quorum=False)
    assert met.count(GROUP) == len(GROUP)
    assert met.count((*GROUP, *CROWD[:1])) == 3


def test_many_reports_in_the_name_of_one_peer_are_of_one() -> None:
    assert MetPeers().count([*GROUP, *[OTHER] * 20]) == 2
