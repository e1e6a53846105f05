"""Files are replaced whole or not at all, and a failed write has words."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from core.errors import ErrorKind
from core.files.atomic import (
    create_atomically,
    delete_file,
    link_or_copy,
    opened_atomically,
    quarantine,
    storage_problem,
    write_atomically,
)
from tests.support.checkout import ROOT


@pytest.mark.parametrize(
    ("number", "problem"),
    [(errno.ENOSPC, ErrorKind.DISK_FULL), (errno.EROFS, ErrorKind.FOLDER_NOT_WRITABLE)],
)
def test_a_failed_write_has_words(number: int, problem: ErrorKind) -> None:
    error = storage_problem(OSError(number, os.strerror(number)), Path("/somewhere"))
    assert error.problem is problem
    assert str(error.detail) == f"/somewhere: {os.strerror(number)}."


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
from core.files.atomic import write_atomically
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


def test_a_second_name_takes_the_place_of_what_was_there(tmp_path: Path) -> None:
    path, other = tmp_path / "file", tmp_path / "other"
    path.write_text("new")
    other.write_text("old")
    for _ in range(2):
        link_or_copy(path, other)
        assert other.samefile(path)
        assert set(tmp_path.iterdir()) == {path, other}


def test_a_copy_without_room_leaves_the_old_file_whole_and_nothing_beside_it(
    tmp_path: Path, small_disk: Path, fill_disk: Callable[[], None]
) -> None:
    """From one file system to another, between which there are no hard links."""
    path, copy = tmp_path / "file", small_disk / "copy"
    path.write_bytes(b"x" * 1_000_000)
    copy.write_text("old")
    fill_disk()
    os.truncate(small_disk / "hog", (small_disk / "hog").stat().st_size - 500_000)
    with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
        link_or_copy(path, copy)
    assert copy.read_text() == "old"
    assert {each.name for each in small_disk.iterdir()} == {"hog", "copy"}
    (small_disk / "hog").unlink()
    link_or_copy(path, copy)
    assert copy.read_bytes() == path.read_bytes()
    assert list(small_disk.iterdir()) == [copy]


def test_a_power_cut_undoes_no_write_and_no_deletion(tmp_path: Path, names_on_disk: dict[Path, set[str]]) -> None:
    path = tmp_path / "file"
    delete_file(path)
    assert names_on_disk == {}
    write_atomically(path, b"new")
    assert names_on_disk[tmp_path] == {"file"}
    delete_file(path)
    assert names_on_disk[tmp_path] == set()


def test_broken_files_are_all_kept(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint"
    for number in (1, 2):
        path.write_text(f"broken {number}")
        assert quarantine(path) == tmp_path / f"checkpoint.broken-{number}"
    assert (tmp_path / "checkpoint.broken-1").read_text() == "broken 1"
