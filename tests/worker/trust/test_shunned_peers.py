"""Who has lied, or told its group what nobody can use, is left out of everything that is averaged, for an hour."""

from __future__ import annotations

from hivemind.p2p import PeerID

from core.worker.swarm.patches.shunned_peers import DISTRUSTED_SECONDS, MAX_REMEMBERED, BarredPeers, ShunnedPeers
from tests.support.computer.fake_clock import FakeClock

LIAR, BARRED, HONEST = (PeerID(b"\x12\x20" + bytes([number]) * 32) for number in range(3))
ALL = (LIAR, BARRED, HONEST)


def test_a_lie_is_forgotten_after_an_hour_and_who_is_barred_when_that_changes() -> None:
    clock = FakeClock()
    shunned = ShunnedPeers(clock)
    shunned.barred = BarredPeers(frozenset({BARRED}))
    shunned.distrust([LIAR])
    assert shunned.among(ALL) == {LIAR, BARRED}
    assert LIAR in shunned and BARRED in shunned and HONEST not in shunned
    shunned.barred = BarredPeers()
    clock.now += DISTRUSTED_SECONDS - 1
    assert shunned.among(ALL) == {LIAR}
    clock.now += 2
    assert shunned.among(ALL) == frozenset() and LIAR not in shunned


def test_who_lies_under_ever_new_ids_fills_no_memory_and_the_last_lies_count() -> None:
    shunned, liars = ShunnedPeers(), [PeerID(b"\x12\x20" + n.to_bytes(32, "big")) for n in range(MAX_REMEMBERED + 50)]
    for liar in liars:
        shunned.distrust([liar])
    assert shunned.among(liars) == set(liars[50:])


def test_in_a_closed_run_who_has_no_ticket_is_left_out_of_everything_and_in_an_open_one_nobody_is() -> None:
    shunned = ShunnedPeers()
    assert shunned.among(ALL) == shunned.strangers_among(ALL) == frozenset()
    shunned.barred = BarredPeers(frozenset({BARRED}), {HONEST: b"key", BARRED: b"key"})
    assert shunned.among(ALL) == {LIAR, BARRED}
    assert shunned.strangers_among(ALL) == {LIAR}  # only a stranger's group is left: parts of the barred are not used
