"""Addresses that have answered are found again after a restart, and a damaged file stops nobody."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.files.folders import DataFolder
from core.worker.network.peer_cache import PeerCache, remembered
from tests.support.sample_addresses import NOWHERE


def test_a_pasted_address_is_kept_with_those_that_answer(tmp_path: Path) -> None:
    PeerCache("sums", (NOWHERE,), tmp_path).meet(["/ip4/203.0.113.5/tcp/31337"])
    assert remembered(tmp_path, "sums") == ("/ip4/203.0.113.5/tcp/31337", NOWHERE)


@pytest.mark.parametrize("damage", [b"", b"[]", b"\xff", b"[" * 100_000, b'{"sums": ' * 100_000])
def test_a_damaged_file_is_put_aside_and_begun_anew(tmp_path: Path, damage: bytes) -> None:
    path = DataFolder(tmp_path).peer_cache_file
    path.write_bytes(damage)
    PeerCache("sums", (), tmp_path).meet([NOWHERE])
    assert path.with_name(f"{path.name}.broken-1").read_bytes() == damage
    assert remembered(tmp_path, "sums") == (NOWHERE,)
