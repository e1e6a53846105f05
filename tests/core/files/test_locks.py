"""Folders that only one process holds, for as long as it lives."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

from core.errors import ErrorKind, UserError
from core.files.folders import Folders
from core.files.locks import lock_organiser_folder, lock_peer_folder
from tests.support.checkout import ROOT

_CLAIM_AND_WAIT = """
import os, sys
from pathlib import Path
from core.files.folders import Folders
from core.files.locks import lock_peer_folder
folder = lock_peer_folder(Folders.below(Path(sys.argv[1])).contents)
if "fork" in sys.argv and os.fork():
    sys.stdin.read()  # the child speaks, so that whoever hears of the folder knows that there is one
    os._exit(0)
print(folder.path, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    return Folders.below(tmp_path)


class Holder:
    """Another process that has claimed a peer folder."""

    def __init__(self, home: Path, *extra: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", _CLAIM_AND_WAIT, str(home), *extra],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.path = Path(self._stream(self.process.stdout).readline().strip())

    @staticmethod
    def _stream(stream: IO[str] | None) -> IO[str]:
        assert stream
        return stream

    def kill(self) -> None:
        """As a crash or the kernel would."""
        self.process.kill()
        self.process.wait()

    def end(self) -> None:
        """Let it and its children go."""
        with self.process:
            pass


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[Holder]:
    holder = Holder(tmp_path)
    yield holder
    holder.end()


def test_two_processes_never_share_a_peer_folder(folders: Folders, holder: Holder) -> None:
    assert holder.path == folders.data / "peers" / "1"
    with lock_peer_folder(folders.contents) as second:
        assert second.path == folders.data / "peers" / "2"


def test_a_process_that_was_killed_leaves_its_folder_to_the_next(folders: Folders, holder: Holder) -> None:
    holder.kill()
    with lock_peer_folder(folders.contents) as again:
        assert again.path == holder.path


def test_a_child_that_outlives_a_killed_worker_does_not_hold_its_folder(folders: Folders, tmp_path: Path) -> None:
    holder = Holder(tmp_path, "fork")
    holder.kill()
    try:
        with lock_peer_folder(folders.contents) as again:
            assert again.path == holder.path
    finally:
        holder.end()


def test_a_released_folder_is_free_and_an_unreleased_one_is_not(folders: Folders) -> None:
    with lock_peer_folder(folders.contents) as first, lock_peer_folder(folders.contents) as second:
        assert first.path != second.path
        first.release()
        first.release()
        with lock_peer_folder(folders.contents) as again:
            assert again.path == first.path
    assert first.identity_path.parent == first.progress_key_path.parent == first.path


def test_a_run_is_published_once_from_a_computer(folders: Folders) -> None:
    with lock_organiser_folder(folders.contents, "sums") as folder:
        assert folder.path == folders.data / "organiser" / "sums"
        with pytest.raises(UserError, match="sums") as raised:
            lock_organiser_folder(folders.contents, "sums", patience_seconds=0.0)
        assert raised.value.problem is ErrorKind.ALREADY_PUBLISHING
        lock_organiser_folder(folders.contents, "other").release()
    lock_organiser_folder(folders.contents, "sums").release()


def test_a_run_is_published_again_once_the_process_before_has_left(
    folders: Folders, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = lock_organiser_folder(folders.contents, "sums")
    waits: list[float] = []

    def leave_meanwhile(seconds: float) -> None:
        waits.append(seconds)
        before.release()

    monkeypatch.setattr(time, "sleep", leave_meanwhile)
    lock_organiser_folder(folders.contents, "sums").release()
    assert len(waits) == 1


@pytest.mark.parametrize("run_id", ["..", "../../etc", "/", "a/b", "."])
def test_a_runs_name_never_leads_out_of_its_folder(folders: Folders, run_id: str) -> None:
    with lock_organiser_folder(folders.contents, run_id) as folder:
        assert folder.path.resolve().parent == (folders.data / "organiser").resolve()


def test_a_data_folder_that_cannot_be_written_is_a_problem_in_words(tmp_path: Path) -> None:
    (tmp_path / "data").touch()
    with pytest.raises(UserError) as raised:
        lock_peer_folder(Folders.below(tmp_path).contents)
    assert raised.value.problem is ErrorKind.FOLDER_NOT_WRITABLE
