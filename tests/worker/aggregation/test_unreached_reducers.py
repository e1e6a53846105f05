"""A reducer that one member cannot reach averages nothing in its groups, and who lies about that gains little."""

from __future__ import annotations

from dataclasses import replace

from hivemind.averaging.allreduce import AveragingMode
from hivemind.p2p import PeerID

from core.worker.swarm.aggregation.member_metadata import MemberMetadata
from core.worker.swarm.aggregation.unreached_reducers import (
    UNREACHED_SECONDS,
    UnreachedReducers,
    left_out_reducers,
    without_unreached_reducers,
)
from core.worker.swarm.local_sgd.group_agreement import Told
from tests.support.computer.fake_clock import FakeClock

ORGANISER, FIRST, SECOND, THIRD, CLIENT, OTHER = (PeerID(b"\x12\x20" + bytes([each]) * 32) for each in range(6))
REDUCERS = ORGANISER, FIRST, SECOND, THIRD


def left_out(naming: dict[PeerID, tuple[PeerID, ...]], reducers: tuple[PeerID, ...] = REDUCERS) -> frozenset[PeerID]:
    """Whose work a group does without, where those members name others as unreached."""
    everybody = {
        peer: Told(9, tuple(each.to_bytes() for each in naming.get(peer, ())), 5, b"root", True, 6).packed()
        for peer in (*reducers, CLIENT, OTHER)
    }
    return left_out_reducers(everybody, reducers, ORGANISER.to_base58())


def test_a_reducer_that_a_member_names_averages_nothing() -> None:
    assert left_out({CLIENT: (FIRST,)}) == {FIRST}
    assert left_out({}) == frozenset()


def test_the_organisers_peer_and_whoever_is_alone_average_whatever_is_said() -> None:
    assert left_out({CLIENT: (ORGANISER,), OTHER: (ORGANISER,)}) == frozenset()
    assert left_out({CLIENT: (FIRST,)}, reducers=(FIRST,)) == frozenset()


def test_at_most_half_are_left_out_and_those_that_most_cannot_reach() -> None:
    assert left_out({CLIENT: (FIRST, SECOND), OTHER: (SECOND, THIRD), FIRST: (THIRD,)}) == {SECOND, THIRD}


def test_a_liar_names_no_more_than_two_and_nobody_twice() -> None:
    assert left_out({CLIENT: (ORGANISER, OTHER, FIRST)}) == frozenset()
    assert left_out({CLIENT: (SECOND, SECOND), OTHER: (FIRST,)}, (ORGANISER, FIRST, SECOND)) == {FIRST}


def test_who_is_no_reducer_and_nonsense_change_nothing() -> None:
    assert left_out({OTHER: (CLIENT,)}) == frozenset()
    nonsense = {CLIENT: (9, (7,), 5, b"root"), OTHER: (9, FIRST.to_bytes()), FIRST: (9,), SECOND: FIRST.to_bytes()}
    assert left_out_reducers(nonsense, REDUCERS, "") == frozenset()


def test_a_peer_that_could_not_be_reached_is_named_for_a_while() -> None:
    clock = FakeClock(7.0)
    unreached = UnreachedReducers(clock)
    unreached.add([FIRST])
    assert unreached.named() == (FIRST.to_bytes(),)
    clock.now += UNREACHED_SECONDS + 1.0
    assert unreached.named() == ()


def test_nobody_is_left_out_beside_a_plain_hivemind_peer() -> None:
    told = {CLIENT: (9, (FIRST.to_bytes(),)), SECOND: (9, (FIRST.to_bytes(),)), OTHER: None}
    assert left_out_reducers(told, REDUCERS, "") == frozenset()


def test_a_plain_hivemind_peer_is_left_out_only_where_most_of_the_others_and_at_least_two_cannot_reach_it() -> None:
    naming = 9, (FIRST.to_bytes(),)
    assert left_out_reducers({ORGANISER: naming, FIRST: None}, REDUCERS, "") == frozenset()
    assert left_out_reducers({ORGANISER: naming, FIRST: None, CLIENT: (9, ())}, REDUCERS, "") == frozenset()
    assert left_out_reducers({ORGANISER: naming, FIRST: None, CLIENT: naming}, REDUCERS, "") == {FIRST}
    half = {ORGANISER: naming, FIRST: None, CLIENT: naming, SECOND: (9, ()), THIRD: (9, ())}
    assert left_out_reducers(half, REDUCERS, "") == frozenset()
    assert left_out_reducers(half | {THIRD: naming}, REDUCERS, "") == {FIRST}


def test_who_is_left_out_has_no_bandwidth_in_what_all_have_told() -> None:
    named = (CLIENT, AveragingMode.CLIENT, (9, (FIRST.to_bytes(),)))
    members = (named, (ORGANISER, AveragingMode.NODE, (9, ())), (FIRST, AveragingMode.NODE, ("bounded", ())))
    told = [MemberMetadata(5.0, mode.value, b"", told) for _, mode, told in members]
    shares, left_out = without_unreached_reducers([peer for peer, _, _ in members], told, "")
    assert left_out == {FIRST}
    assert shares == [told[0], told[1], replace(told[2], bandwidth=0.0)]
