"""Log files for developers, rotated so that they never grow without bound."""

from __future__ import annotations

import logging
import os
import shutil
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import BinaryIO

from core.files.atomic import storage_problem

MAX_LOG_BYTES = 1024 * 1024
KEPT_LOGS = 3
_FORMAT = "%(asctime)s %(levelname)s %(process)d %(name)s: %(message)s"


def set_up_logging(logs: Path, level: int = logging.INFO) -> Path:
    """Send everything that is logged in this process to ``client.log`` in that folder; returns its path.

    Calling it again moves the log. Never writes to stdout or stderr. Raises OSError.
    """
    path = logs / "client.log"
    handler = RotatingFileHandler(
        path, maxBytes=MAX_LOG_BYTES, backupCount=KEPT_LOGS, encoding="utf-8", errors="backslashreplace"
    )
    handler.setFormatter(logging.Formatter(_FORMAT))
    handler.set_name("workerbee")
    logging.raiseExceptions = False  # a full disk must not print tracebacks
    root = logging.getLogger()
    for old in [old for old in root.handlers if old.get_name() == "workerbee"]:
        root.removeHandler(old)
        old.close()
    root.addHandler(handler)
    root.setLevel(level)
    return path


def keep_logs_off_the_terminal() -> None:
    """Have nothing printed of what is logged without `set_up_logging`: those words are for developers."""
    logging.getLogger().addHandler(logging.NullHandler())


def worker_log(logs: Path) -> Path:
    """The log file that all workers of this person share."""
    return logs / "worker.log"


def open_worker_log(logs: Path) -> BinaryIO:
    """An open file for a worker's stderr; several workers may share it. Raises UserError."""
    path = worker_log(logs)
    try:
        keep_small(path)
        return path.open("ab", buffering=0)
    except OSError as error:
        raise storage_problem(error, path) from error


def keep_small(path: Path) -> None:
    """If the log is full, move its end to ``.1`` (and that to ``.2``, to ``.3``) and empty it.

    Works while others have it open to append, as a worker has: call it now and then. Lines written in that
    very moment may be lost. Raises OSError.
    """
    try:
        if path.stat().st_size <= MAX_LOG_BYTES:
            return
    except FileNotFoundError:
        return
    for number in range(KEPT_LOGS, 1, -1):
        older = _numbered(path, number - 1)
        if older.exists():
            older.replace(_numbered(path, number))
    with path.open("rb") as full, _numbered(path, 1).open("wb") as kept:
        full.seek(-MAX_LOG_BYTES, os.SEEK_END)
        shutil.copyfileobj(full, kept)
    os.truncate(path, 0)


def _numbered(path: Path, number: int) -> Path:
    return path.with_name(f"{path.name}.{number}")
