"""Temporary folders: every worker has its own, and the dead leave none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.errors import UserError
from core.files.folders import DataFolder
from core.files.locks import lock_peer_folder, try_lock
from core.files.temp_folder import lock_temp_folder, sweep_temp_folders, temp_folder

_KEEP = """
import sys, tempfile
tempfile.tempdir = sys.argv[1]
from core.files.temp_folder import lock_temp_folder
claimed = lock_temp_folder()
(claimed.path / "socket").touch()
print(claimed.path, flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def own_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))


def test_what_a_killed_process_left_is_swept(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _KEEP, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout is not None
        left = Path(other.stdout.readline().strip())
        sweep_temp_folders()
        assert (left / "socket").exists(), "its owner lives"
        other.kill()
    sweep_temp_folders()
    assert not left.exists()


def test_our_own_folder_and_what_is_none_of_ours_stay(tmp_path: Path) -> None:
    foreign = tmp_path / "workerbee-scratch-without-a-lock"
    foreign.mkdir()
    with lock_temp_folder() as own:
        sweep_temp_folders()
        assert own.path.exists()
        assert foreign.exists()


_ADD = """
import itertools, sys
from pathlib import Path
folder = Path(sys.argv[1])
try:
    for number in itertools.count():
        (folder / str(number)).touch()
        if number == 1000:
            print("adding", flush=True)
except FileNotFoundError:
    pass
"""


def test_somebody_who_is_just_dying_and_still_adds_to_it_does_not_keep_it_there(tmp_path: Path) -> None:
    with lock_temp_folder() as abandoned:
        pass
    adding = [sys.executable, "-c", _ADD, str(abandoned.path)]
    with subprocess.Popen(adding, stdout=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout is not None and child.stdout.readline() == "adding\n"
            sweep_temp_folders()
            assert child.wait(60) == 0
        finally:
            child.kill()
    assert list(tmp_path.iterdir()) == []


def test_a_removal_that_was_interrupted_is_finished_by_the_next_sweep(tmp_path: Path) -> None:
    with lock_temp_folder() as own:
        doomed = own.path.rename(own.path.with_name(f"{own.path.name}.doomed"))
        (doomed / "lock").unlink()
        (doomed / "socket").touch()
    sweep_temp_folders()
    assert list(tmp_path.iterdir()) == []


_DEMO = """
import sys, tempfile
tempfile.tempdir = sys.argv[1]
from core.files.folders import Folders
from core.files.locks import lock_peer_folder
from core.files.temp_folder import temp_folder
from core.security.identity import Identity
with temp_folder() as home:
    Identity.load_or_create(lock_peer_folder(Folders.below(home).contents).identity_path)
    print(home, flush=True)
    sys.stdin.read()
"""


def test_the_keys_of_a_demo_that_was_killed_do_not_outlive_the_next_start(tmp_path: Path) -> None:
    started = [sys.executable, "-c", _DEMO, str(tmp_path)]
    with subprocess.Popen(started, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as demo:
        assert demo.stdout is not None
        left = Path(demo.stdout.readline().strip())
        demo.kill()
    assert [path.name for path in left.rglob("*.key")] == ["identity.key"]
    with temp_folder() as home:
        assert not left.exists() and home.exists()
    assert list(tmp_path.iterdir()) == []


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


NOBODY = 65534
only_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can make folders of another user")


def plant(folder: Path, lock: Path, owner: int | None = None) -> Path:
    """A folder like one of ours, whose lock is a link to that file, as another user may make it."""
    folder.mkdir()
    (folder / "lock").symlink_to(lock)
    if owner is not None:
        os.chown(folder, owner, owner)
        os.chown(folder / "lock", owner, owner, follow_symlinks=False)
    return folder


@pytest.fixture
def peer_lock(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The lock of the person's own peer folder, which no process holds."""
    data = DataFolder(tmp_path_factory.mktemp("home"))
    with lock_peer_folder(data) as first:
        return first.path / "lock"


def assert_untouched(peer_lock: Path, planted: list[Path], descriptors: int) -> None:
    """The next worker gets its own identity, and nothing stays open."""
    assert open_descriptors() == descriptors
    assert all(os.path.lexists(folder) for folder in planted)
    with lock_peer_folder(DataFolder(peer_lock.parents[2])) as next_one:
        assert next_one.path == peer_lock.parent


@pytest.mark.parametrize("owner", [None, pytest.param(NOBODY, marks=only_root)])
def test_a_lock_that_is_a_link_is_not_followed(tmp_path: Path, peer_lock: Path, owner: int | None) -> None:
    descriptors = open_descriptors()
    planted = [plant(tmp_path / f"workerbee-scratch-{number}", peer_lock, owner) for number in range(50)]
    sweep_temp_folders()
    assert_untouched(peer_lock, planted, descriptors)


def test_a_folder_that_is_a_link_is_not_followed(tmp_path: Path, peer_lock: Path) -> None:
    descriptors = open_descriptors()
    planted = [tmp_path / "workerbee-scratch-x", tmp_path / "workerbee-scratch-x.doomed"]
    for link in planted:
        link.symlink_to(peer_lock.parent)
    sweep_temp_folders()
    assert_untouched(peer_lock, planted, descriptors)


@only_root
def test_folders_of_another_user_are_neither_locked_nor_removed(tmp_path: Path, peer_lock: Path) -> None:
    descriptors = open_descriptors()
    planted = [tmp_path / "workerbee-scratch-y", tmp_path / "workerbee-scratch-y.doomed"]
    for folder in planted:
        folder.mkdir()
        os.link(peer_lock, folder / "lock")
        os.chown(folder, NOBODY, NOBODY)
    sweep_temp_folders()
    assert_untouched(peer_lock, planted, descriptors)
    assert all((folder / "lock").exists() for folder in planted)


def test_sweeping_many_folders_keeps_nothing_open(tmp_path: Path) -> None:
    descriptors = open_descriptors()
    with lock_temp_folder() as used:
        for _ in range(20):
            lock_temp_folder().release()
        (tmp_path / "workerbee-scratch-odd").mkdir()
        os.mkfifo(tmp_path / "workerbee-scratch-odd" / "lock")
        sweep_temp_folders()
        assert list(tmp_path.iterdir()) == [used.path]
    assert open_descriptors() == descriptors


def test_a_lock_that_is_a_link_keeps_anybody_from_using_the_folder(tmp_path: Path, peer_lock: Path) -> None:
    descriptors = open_descriptors()
    planted = plant(tmp_path / "mine", peer_lock)
    with pytest.raises(UserError):
        try_lock(planted)
    assert_untouched(peer_lock, [planted], descriptors)
