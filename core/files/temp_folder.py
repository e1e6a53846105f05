"""Temporary folders of processes that may be killed: a worker's sockets, the keys and runs of a demo.

Each is locked by its process for as long as that lives; what the dead have left is swept by the next one.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.files.atomic import storage_problem
from core.files.locks import LOCK_FILE, LockedFolder, try_lock, try_lock_own

_PREFIX = "workerbee-scratch-"
_DOOMED = ".doomed"


@contextmanager
def temp_folder() -> Iterator[Path]:
    """A new folder of this process, removed when the block ends, or after a kill by the next sweep.

    A process that has confined itself meanwhile may only empty it; the next sweep removes it. Sweeps what others have
    left, first. Raises UserError for a full disk.
    """
    sweep_temp_folders()
    with lock_temp_folder() as own:
        try:
            yield own.path
        finally:
            try:
                remove_temp_folder(own.path)
            except OSError:
                _empty(own.path)


def lock_temp_folder() -> LockedFolder:
    """A new folder for this process, locked for as long as it lives; raises UserError for a full disk."""
    try:
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
    except OSError as error:
        raise storage_problem(error, Path(tempfile.gettempdir())) from error
    locked = try_lock(folder)
    assert locked is not None, "nobody else knows its name"
    return locked


def sweep_temp_folders() -> None:
    """Remove what processes of this user that no longer live have left; whatever is in use or another's stays."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            _sweep(folder)


def _sweep(folder: Path) -> None:
    """Remove that folder if it is abandoned; raises OSError for a link, and for what is another user's."""
    if folder.name.endswith(_DOOMED):
        if _is_own(folder):
            shutil.rmtree(folder, ignore_errors=True)
    elif (abandoned := try_lock_own(folder)) is not None:
        with abandoned:
            remove_temp_folder(folder)


def _is_own(folder: Path) -> bool:
    """Whether it is a folder of this user, and no link."""
    found = folder.lstat()
    return stat.S_ISDIR(found.st_mode) and (os.name != "posix" or found.st_uid == os.geteuid())


def _empty(folder: Path) -> None:
    """Remove what can be removed of what is in it, but not its lock."""
    for entry in folder.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry, ignore_errors=True)
        elif entry.name != LOCK_FILE:
            with contextlib.suppress(OSError):
                entry.unlink()


def remove_temp_folder(folder: Path) -> None:
    """Remove the folder under another name, by which no child that is just dying adds to it; raises OSError.

    A process that is killed in the middle of this leaves that name, and the next sweep goes on.
    """
    doomed = folder.rename(folder.with_name(folder.name + _DOOMED))
    shutil.rmtree(doomed, ignore_errors=True)
