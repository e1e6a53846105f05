"""Files replaced as a whole or not at all, damaged files put aside, and what a failed write means in words."""

from __future__ import annotations

import errno
import itertools
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from core.errors import ErrorKind, UserError

DISK_FULL_CODES = (errno.ENOSPC, errno.EDQUOT)


def storage_problem(error: OSError, path: Path, refused: ErrorKind = ErrorKind.FOLDER_NOT_WRITABLE) -> UserError:
    """What a failed write to ``path`` means to a person: a full disk, or a folder that refuses."""
    problem = ErrorKind.DISK_FULL if error.errno in DISK_FULL_CODES else refused
    return UserError(problem, f"{path}: {error.strerror or type(error).__name__}.")


def write_atomically(path: Path, data: bytes, mode: int = 0o600) -> None:
    """Replace the file's contents, or leave the old ones whole; raises OSError."""
    with opened_atomically(path, mode) as file:
        file.write(data)


def save_file(path: Path, data: bytes) -> None:
    """Write what a person wants to keep, for its owner only, as ``write_atomically`` does.

    Raises UserError: the file is where that person has chosen it, so it is no folder of ours that refuses.
    """
    try:
        write_atomically(path, data)
    except OSError as error:
        raise storage_problem(error, path, ErrorKind.USAGE) from error


@contextmanager
def opened_atomically(path: Path, mode: int = 0o600) -> Iterator[BinaryIO]:
    """A file to write, which replaces ``path`` when the block ends well and vanishes when it does not."""
    with _temporary_beside(path) as (file, temporary):
        yield file
        _finish(file, mode)
        temporary.replace(path)
    sync_folder(path.parent)


def create_atomically(path: Path, data: bytes, mode: int = 0o600) -> None:
    """Make a file that is whole from its first moment; raises FileExistsError, and never overwrites."""
    with _temporary_beside(path) as (file, temporary):
        file.write(data)
        _finish(file, mode)
        try:
            os.link(temporary, path)
        except FileExistsError:
            raise
        except OSError as error:  # a file system without hard links, such as FAT
            if os.path.lexists(path):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from error
            temporary.rename(path)
    sync_folder(path.parent)


def link_or_copy(source: Path, target: Path) -> None:
    """Give the file a second name, or a copy where the file system has no hard links, in place of what is there.

    Raises OSError, and what is there stays whole.
    """
    with _temporary_beside(target) as (file, temporary):
        file.close()
        temporary.unlink()
        try:
            os.link(source, temporary)
        except FileNotFoundError:
            raise
        except OSError:
            shutil.copy2(source, temporary)
        temporary.replace(target)


def delete_file(path: Path) -> None:
    """Delete the file, if it is there, so that it does not come back after a power cut. Raises OSError."""
    try:
        path.unlink()
    except FileNotFoundError:
        return
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Have a power cut undo no change of a name in that folder, where folders can be synced at all."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)


def quarantine(path: Path) -> Path:
    """Rename a broken file to ``name.broken-1`` (or the next free number): its new path. Raises OSError."""
    for number in itertools.count(1):
        aside = _aside(path, number)
        if not os.path.lexists(aside):
            return path.rename(aside)
    raise AssertionError("numbers do not end")


def is_quarantined(path: Path) -> bool:
    """Whether a broken file of that name lies beside it, which nobody has deleted since."""
    return os.path.lexists(_aside(path, 1))


def _aside(path: Path, number: int) -> Path:
    return path.with_name(f"{path.name}.broken-{number}")


@contextmanager
def _temporary_beside(path: Path) -> Iterator[tuple[BinaryIO, Path]]:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file, Path(name)
    finally:
        Path(name).unlink(missing_ok=True)


def _finish(file: BinaryIO, mode: int) -> None:
    file.flush()
    if os.name == "posix":
        os.fchmod(file.fileno(), mode)
    os.fsync(file.fileno())
    file.close()
