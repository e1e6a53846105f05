"""Folders, files that are never half written, and folders that only one process holds."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

from core.errors import ErrorKind, UserError
from core.files.folders import (
    Folders,
    claim_organiser_folder,
    claim_peer_folder,
    create_atomically,
    opened_atomically,
    quarantine,
    storage_problem,
    write_atomically,
)
from tests.support.checkout import ROOT

_CLAIM_AND_WAIT = """
import os, sys
from pathlib import Path
from core.files.folders import Folders, claim_peer_folder
folder = claim_peer_folder(Folders.below(Path(sys.argv[1])).data)
if "fork" in sys.argv and os.fork():
    sys.stdin.read()  # the child speaks, so that whoever hears of the folder knows that there is one
    os._exit(0)
print(folder.path, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    return Folders.below(tmp_path)


def test_folders_follow_the_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKERBEE_HOME", str(tmp_path))
    assert Folders.default() == Folders.below(tmp_path)
    assert Folders.default().settings_file == tmp_path / "settings" / "settings.toml"


def test_without_the_variable_they_are_the_persons_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WORKERBEE_HOME", raising=False)
    folders = Folders.default()
    for folder in (folders.settings, folders.data, folders.cache, folders.logs):
        assert folder.is_absolute()
        assert "workerbee" in folder.parts


def test_prepared_folders_are_for_their_owner_only(folders: Folders) -> None:
    folders.prepare()
    folders.prepare()
    for folder in (folders.settings, folders.data, folders.cache, folders.logs):
        assert folder.stat().st_mode & 0o777 == 0o700
        assert list(folder.iterdir()) == []


def test_a_place_where_no_folder_can_be_is_a_problem_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match=str(tmp_path / "file" / "settings")) as raised:
        Folders.below(tmp_path / "file").prepare()
    assert raised.value.problem is ErrorKind.FOLDER_NOT_WRITABLE


def test_a_read_only_folder_is_a_problem_in_words() -> None:
    """As somebody who may only read it, because root may write everywhere."""
    code = """
import os, sys
from pathlib import Path
from core.files.folders import Folders
from core.errors import UserError
if os.geteuid() == 0:
    os.setuid(65534)
for place in (Folders.below(Path(sys.argv[1])), Folders(*[Path(sys.argv[1])] * 4)):
    try:
        place.prepare()
    except UserError as error:
        print(error.problem.key, error.detail)
"""
    with tempfile.TemporaryDirectory() as home:
        Path(home).chmod(0o555)
        answer = subprocess.run(
            [sys.executable, "-B", "-c", code, home],
            capture_output=True,
            text=True,
            cwd=ROOT,
        )
    assert answer.stdout.splitlines() == [
        f"folder_not_writable {home}/settings: Permission denied.",
        f"folder_not_writable {home}: Permission denied.",
    ], answer.stderr


@pytest.mark.parametrize(
    ("number", "problem"),
    [(errno.ENOSPC, ErrorKind.DISK_FULL), (errno.EROFS, ErrorKind.FOLDER_NOT_WRITABLE)],
)
def test_a_failed_write_has_words(number: int, problem: ErrorKind) -> None:
    error = storage_problem(OSError(number, os.strerror(number)), Path("/somewhere"))
    assert error.problem is problem
    assert error.detail == f"/somewhere: {os.strerror(number)}."


def test_a_file_is_replaced_whole_and_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_a_write_that_is_given_up_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    with pytest.raises(KeyboardInterrupt), opened_atomically(path) as file:
        file.write(b"ne")
        raise KeyboardInterrupt
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_disk_without_room_leaves_the_old_file_whole(tmp_path: Path) -> None:
    """The limit on a process's file size stands in for the full disk: the write fails half way."""
    path = tmp_path / "file"
    path.write_text("old")
    code = """
import resource, signal, sys
from pathlib import Path
from core.files.folders import write_atomically
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    write_atomically(Path(sys.argv[1]), b"x" * 1_000_000)
except OSError as error:
    print(error.strerror)
"""
    command = [sys.executable, "-B", "-c", code, str(path)]
    answer = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert answer.stdout == f"{os.strerror(errno.EFBIG)}\n", answer.stderr
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_new_file_never_replaces_one_that_is_there(tmp_path: Path) -> None:
    path = tmp_path / "file"
    create_atomically(path, b"first")
    with pytest.raises(FileExistsError):
        create_atomically(path, b"second")
    assert path.read_bytes() == b"first"
    assert list(tmp_path.iterdir()) == [path]


def test_broken_files_are_all_kept(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint"
    for number in (1, 2):
        path.write_text(f"broken {number}")
        assert quarantine(path) == tmp_path / f"checkpoint.broken-{number}"
    assert (tmp_path / "checkpoint.broken-1").read_text() == "broken 1"


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
    with claim_peer_folder(folders.data) as second:
        assert second.path == folders.data / "peers" / "2"


def test_a_process_that_was_killed_leaves_its_folder_to_the_next(folders: Folders, holder: Holder) -> None:
    holder.kill()
    with claim_peer_folder(folders.data) as again:
        assert again.path == holder.path


def test_a_child_that_outlives_a_killed_worker_does_not_hold_its_folder(folders: Folders, tmp_path: Path) -> None:
    holder = Holder(tmp_path, "fork")
    holder.kill()
    try:
        with claim_peer_folder(folders.data) as again:
            assert again.path == holder.path
    finally:
        holder.end()


def test_a_released_folder_is_free_and_an_unreleased_one_is_not(folders: Folders) -> None:
    with claim_peer_folder(folders.data) as first, claim_peer_folder(folders.data) as second:
        assert first.path != second.path
        first.release()
        first.release()
        with claim_peer_folder(folders.data) as again:
            assert again.path == first.path
    assert first.identity_path.parent == first.progress_key_path.parent == first.path


def test_a_run_is_published_once_from_a_computer(folders: Folders) -> None:
    with claim_organiser_folder(folders.data, "sums") as folder:
        assert folder.path == folders.data / "organiser" / "sums"
        with pytest.raises(UserError, match="sums") as raised:
            claim_organiser_folder(folders.data, "sums")
        assert raised.value.problem is ErrorKind.ALREADY_PUBLISHING
        claim_organiser_folder(folders.data, "other").release()
    claim_organiser_folder(folders.data, "sums").release()


@pytest.mark.parametrize("run_id", ["..", "../../etc", "/", "a/b", "."])
def test_a_runs_name_never_leads_out_of_its_folder(folders: Folders, run_id: str) -> None:
    with claim_organiser_folder(folders.data, run_id) as folder:
        assert folder.path.resolve().parent == (folders.data / "organiser").resolve()


def test_a_data_folder_that_cannot_be_written_is_a_problem_in_words(tmp_path: Path) -> None:
    (tmp_path / "data").touch()
    with pytest.raises(UserError) as raised:
        claim_peer_folder(Folders.below(tmp_path).data)
    assert raised.value.problem is ErrorKind.FOLDER_NOT_WRITABLE
