"""Peers that have answered are kept for the next worker, run by run, and not too many of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.files.folders import DataFolder
from core.worker.network.peer_cache import MAX_ADDRESSES, PeerCache

PASTED = ("/ip4/1.2.3.4/tcp/1",)


def test_what_has_answered_is_there_for_the_next_worker(tmp_path: Path) -> None:
    cache = PeerCache.load(PASTED, tmp_path, "sums")
    cache.add([f"/ip4/1.2.3.4/tcp/{port}" for port in range(2, 2 + 2 * MAX_ADDRESSES)])
    assert len(cache.addresses) == MAX_ADDRESSES
    assert PeerCache.load((), tmp_path, "sums").addresses == cache.addresses


def test_peers_of_another_run_are_not_asked(tmp_path: Path) -> None:
    PeerCache.load(PASTED, tmp_path, "sums").add(["/ip4/1.2.3.4/tcp/2"])
    assert PeerCache.load(PASTED, tmp_path, "other").addresses == PASTED


def test_a_run_that_is_chosen_later_brings_its_peers_along(tmp_path: Path) -> None:
    PeerCache.load(PASTED, tmp_path, "sums").add(["/ip4/1.2.3.4/tcp/2"])
    cache = PeerCache.load(PASTED, tmp_path)
    before = cache.addresses
    cache.choose_run("sums")
    assert (before, cache.addresses) == (PASTED, (*PASTED, "/ip4/1.2.3.4/tcp/2"))


def test_before_a_run_is_chosen_nothing_is_kept(tmp_path: Path) -> None:
    PeerCache.load(PASTED, tmp_path).add(["/ip4/1.2.3.4/tcp/2"])
    assert not (DataFolder(tmp_path).peer_cache_file).exists()


@pytest.mark.parametrize("damage", [b"", b"[]", b"\xff", b"[" * 100_000, b'{"sums": ' * 100_000, b'{"sums": 3}'])
def test_a_damaged_file_is_put_aside_and_begun_anew(tmp_path: Path, damage: bytes) -> None:
    path = DataFolder(tmp_path).peer_cache_file
    path.parent.mkdir()
    path.write_bytes(damage)
    PeerCache.load((), tmp_path, "sums").add(PASTED)
    assert path.with_name(f"{path.name}.broken-1").read_bytes() == damage
    assert PeerCache.load((), tmp_path, "sums").addresses == PASTED
