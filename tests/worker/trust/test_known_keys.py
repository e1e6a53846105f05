"""Whoever was there before a claim has weight in it, and a crowd that comes with the claim has none."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from pathlib import Path

import pytest
from hivemind.p2p import PeerID

from core.worker.swarm.dht.progress_reports import PeerReport
from core.worker.swarm.trust.known_keys import LONGEST_PERIOD_SECONDS, MAX_KEYS, MAX_WEIGHT, KnownKeys

CROWD = [f"new {number}".encode() for number in range(50)]


def reports(**epochs: int) -> dict[bytes, PeerReport]:
    """By the owners of these keys."""
    peer = PeerID(b"\x12\x20" + bytes(32))
    return {key.encode(): PeerReport(peer, epoch, 100, 100.0, 1.8e9, False) for key, epoch in epochs.items()}


def crowd(epoch: int) -> dict[bytes, PeerReport]:
    """Fifty new keys that report the same."""
    return dict.fromkeys(CROWD, *reports(any=epoch).values())


def knowing(keys: Iterable[bytes], epochs: int, file: Path | None = None) -> KnownKeys:
    """Who was with these for so many epochs, and is in the next."""
    known = KnownKeys(file)
    for epoch in range(epochs + 1):
        known.see(keys, epoch)
    return known


def test_a_crowd_that_comes_with_its_claim_has_no_weight() -> None:
    known = knowing([b"friend", b"other"], 3)
    there = reports(friend=50, other=50) | crowd(80)
    known.see(there, 3)
    assert known.agreed_share(there, 80, is_newcomer=False) == 0.0
    assert known.agreed_share(there, 50, is_newcomer=False) == 1.0


def test_time_gives_weight_up_to_a_bound() -> None:
    known = knowing([b"friend"], 2 * MAX_WEIGHT)
    for epoch in range(100, 110):
        known.see([b"friend", b"late"], epoch)
    share = known.agreed_share(reports(friend=5, late=80), 80, is_newcomer=False)
    assert share == pytest.approx(9 / (9 + MAX_WEIGHT))


def test_a_long_epoch_counts_by_the_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    minutes = itertools.count(0.0, LONGEST_PERIOD_SECONDS + 1)
    monkeypatch.setattr("time.monotonic", lambda: next(minutes))
    known = KnownKeys()
    for _ in range(4):
        known.see([b"friend"], 7)
    assert known._weights.popitem()[1] == 3


def test_who_has_never_known_anybody_counts_all_alike() -> None:
    assert KnownKeys().agreed_share(reports(a=80, b=79, c=50), 79, is_newcomer=False) == pytest.approx(2 / 3)
    assert KnownKeys().agreed_share({}, 80, is_newcomer=False) == 1.0


def test_who_meets_only_strangers_stays_with_its_state_until_it_knows_them_and_a_newcomer_follows_them() -> None:
    known = knowing([b"friend"], 3)
    there = reports(a=80, b=80)
    assert known.agreed_share(there, 80, is_newcomer=False) == 0.0
    assert known.agreed_share(there, 80, is_newcomer=True) == 1.0
    known.see(there, 3)
    known.see(there, 4)
    assert known.agreed_share(there, 80, is_newcomer=False) == 1.0


def test_a_restart_knows_whom_the_last_start_has_known(tmp_path: Path) -> None:
    file = tmp_path / "known" / "run.json"
    knowing([b"friend"], 3, file)
    there = reports(friend=50) | crowd(80)
    assert KnownKeys(file).agreed_share(there, 80, is_newcomer=False) == 0.0
    assert KnownKeys(file).agreed_share(there, 50, is_newcomer=False) == 1.0


def test_no_crowd_pushes_out_those_who_were_known_before() -> None:
    known = knowing([b"friend"], 5)
    for epoch in (6, 7):
        known.see([f"crowd {number}".encode() for number in range(2 * MAX_KEYS)], epoch)
    assert len(known._weights) == MAX_KEYS and known.agreed_share(reports(friend=9), 9, is_newcomer=False) == 1.0
