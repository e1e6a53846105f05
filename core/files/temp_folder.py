"""Temporary folders of processes that may be killed: a worker's sockets, the keys and runs of a demo.

Each is locked by its process for as long as that lives; what the dead have left is swept by the next one.
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.errors import UserError
from core.files.atomic import storage_problem
from core.files.locks import LOCK_FILE, LockedFolder, try_lock

_PREFIX = "workerbee-scratch-"
_DOOMED = ".doomed"


@contextmanager
def temp_folder() -> Iterator[Path]:
    """A new folder of this process, removed when the block ends, or after a kill by the next sweep.

    Sweeps what others have left, first. Raises UserError for a full disk.
    """
    sweep_temp_folders()
    with lock_temp_folder() as own:
        try:
            yield own.path
        finally:
            with contextlib.suppress(OSError):
                remove_temp_folder(own.path)


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
    """Remove what processes that no longer live have left; a folder that is in use or not ours stays."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError, UserError):
            if folder.name.endswith(_DOOMED):
                shutil.rmtree(folder, ignore_errors=True)
            elif (folder / LOCK_FILE).exists() and (abandoned := try_lock(folder)) is not None:
                remove_temp_folder(folder)
                abandoned.release()


def remove_temp_folder(folder: Path) -> None:
    """Remove the folder under another name, by which no child that is just dying adds to it; raises OSError.

    A process that is killed in the middle of this leaves that name, and the next sweep goes on.
    """
    doomed = folder.rename(folder.with_name(folder.name + _DOOMED))
    shutil.rmtree(doomed, ignore_errors=True)
