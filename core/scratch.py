"""A worker's temporary folder: sockets and the like, which a process that is killed leaves behind."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from pathlib import Path

from core.folders import PeerFolder, claim, storage_problem
from core.problems import ClientError

_PREFIX = "workerbee-scratch-"


def claim_scratch() -> PeerFolder:
    """A new folder for this process, locked for as long as it lives; raises ClientError for a full disk."""
    try:
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
    except OSError as error:
        raise storage_problem(error, Path(tempfile.gettempdir())) from error
    claimed = claim(folder)
    assert claimed is not None, "nobody else knows its name"
    return claimed


def sweep_scratch() -> None:
    """Remove what workers that no longer live have left; a folder that is in use or not ours stays."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError, ClientError):
            if not (folder / "lock").exists():
                continue
            abandoned = claim(folder)
            if abandoned is not None:
                shutil.rmtree(folder, ignore_errors=True)
                abandoned.release()
