"""Who has lied, or told its group what nobody can use, is left out of everything that is averaged, for an hour."""

from __future__ import annotations

from hivemind.p2p import PeerID

from core.worker.swarm.patches.shunned_peers import DISTRUSTED_SECONDS, MAX_REMEMBERED, ShunnedPeers

LIAR, BLOCKED, HONEST = (PeerID(b"\x12\x20" + bytes([number]) * 32) for number in range(3))


def test_a_lie_is_forgotten_after_an_hour_and_a_block_list_when_it_changes() -> None:
    now = [1000.0]
    shunned = ShunnedPeers(lambda: now[0])
    shunned.blocked = frozenset({BLOCKED})
    shunned.distrust([LIAR])
    assert shunned.now() == {LIAR, BLOCKED}
    assert LIAR in shunned and BLOCKED in shunned and HONEST not in shunned
    shunned.blocked = frozenset()
    now[0] += DISTRUSTED_SECONDS - 1
    assert shunned.now() == {LIAR}
    now[0] += 2
    assert shunned.now() == frozenset() and LIAR not in shunned


def test_who_lies_under_ever_new_ids_fills_no_memory_and_the_last_lies_count() -> None:
    shunned, liars = ShunnedPeers(), [PeerID(b"\x12\x20" + n.to_bytes(32, "big")) for n in range(MAX_REMEMBERED + 50)]
    for liar in liars:
        shunned.distrust([liar])
    assert shunned.now() == set(liars[50:])
