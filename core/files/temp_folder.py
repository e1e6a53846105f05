"""A worker's temporary folder: sockets and the like, which a process that is killed leaves behind."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from pathlib import Path

from core.errors import UserError
from core.files.atomic import storage_problem
from core.files.locks import LOCK_FILE, LockedFolder, try_lock

_PREFIX = "workerbee-scratch-"
_DOOMED = ".doomed"


def lock_temp_folder() -> LockedFolder:
    """A new folder for this process, locked for as long as it lives; raises ClientError for a full disk."""
    try:
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
    except OSError as error:
        raise storage_problem(error, Path(tempfile.gettempdir())) from error
    claimed = try_lock(folder)
    assert claimed is not None, "nobody else knows its name"
    return claimed


def sweep_temp_folders() -> None:
    """Remove what workers that no longer live have left; a folder that is in use or not ours stays."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError, UserError):
            if folder.name.endswith(_DOOMED):
                shutil.rmtree(folder, ignore_errors=True)
            elif (folder / LOCK_FILE).exists() and (abandoned := try_lock(folder)) is not None:
                remove_temp_folder(folder)
                abandoned.release()


def remove_temp_folder(folder: Path) -> None:
    """Remove it under another name, by which nobody who is just dying adds to it; raises OSError.

    Whoever is killed in the middle of this leaves that name, and the next sweep goes on.
    """
    doomed = folder.rename(folder.with_name(folder.name + _DOOMED))
    shutil.rmtree(doomed, ignore_errors=True)
