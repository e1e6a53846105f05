"""A soak sees whatever is left over; else its most important line would say nothing."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from tests.bench.peers.peer_process import Seen
from tests.soak.leaks import SHARED_MEMORY, LeftOver
from tests.soak.peers import Member, Place
from tests.support.environment.network_namespaces import internet
from tests.support.real_peers import LineProcess

ORPHAN = "import subprocess; subprocess.Popen(['sleep', '1000'], start_new_session=True, stdout=-3)"


def test_where_nothing_is_left_over_nothing_is_seen(tmp_path: Path) -> None:
    assert list(LeftOver().now(tmp_path, tmp_path, [os.getpid()])) == []


def test_files_are_seen(tmp_path: Path) -> None:
    before, home, temporary = LeftOver(), tmp_path / "home", tmp_path / "temporary"
    for folder in (home, temporary):
        folder.mkdir()
    (home / "identity.key").touch()
    (home / ".notes.json.abc.tmp").touch()
    (temporary / "p2pd.sock").touch()
    seen = list(before.now(home, temporary, []))
    assert [what.partition(":")[0] for what in seen] == ["temporary", "half a file"]


@pytest.mark.skipif(not SHARED_MEMORY.is_dir(), reason="this system keeps shared memory elsewhere")
def test_shared_memory_is_seen_if_one_of_ours_has_made_it(tmp_path: Path) -> None:
    before = LeftOver()
    piece = SHARED_MEMORY / f"torch_{os.getpid()}_1"
    piece.touch()
    try:
        assert list(before.now(tmp_path, tmp_path, [1])) == []
        assert list(before.now(tmp_path, tmp_path, [os.getpid()])) == [f"shared memory: {piece.name}"]
    finally:
        piece.unlink()


def test_descriptors_are_seen(tmp_path: Path) -> None:
    before = LeftOver()
    with (tmp_path / "file").open("w"):
        assert list(before.now(tmp_path / "none", tmp_path / "none", [])) == ["1 descriptors of our own"]


@pytest.mark.networks
def test_namespaces_are_seen(tmp_path: Path) -> None:
    before = LeftOver()
    with internet():
        (seen,) = before.now(tmp_path, tmp_path, [])
    assert seen.startswith("namespace: ")


@pytest.mark.slow
def test_a_process_that_outlives_its_family_is_seen_and_ended(tmp_path: Path) -> None:
    member = Member(Place(tmp_path / "volunteer", tmp_path))
    log = tmp_path / "log"
    member.starts.append(LineProcess([sys.executable, "-c", ORPHAN], log, lambda _: Seen(0.0, None)))  # type: ignore[arg-type]
    while not any(process.name() == "sleep" for process in member.now.family):
        time.sleep(0.01)
    (orphan,) = (process for process in member.now.family if process.name() == "sleep")
    member.see_it_gone()
    assert member.left_over == [f"volunteer: {orphan.pid} sleep"]
    assert member.now.family == []
