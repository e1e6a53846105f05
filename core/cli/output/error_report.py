"""A failure as a person reads it: what happened and what to do; on stderr, and never a traceback."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

from core.errors import ErrorKind, UserError
from core.files.folders import Folders
from core.files.logs import set_up_logging
from core.security.sanitize import sanitize_text

_NAMES_THE_LOG = {ErrorKind.WORKER_CRASHED, ErrorKind.WORKER_NONSENSE}


def tell_failure(error: UserError, log: Path) -> None:
    """Say it in two or three lines; several mistakes have a line each."""
    detail = sanitize_text(error.detail).strip()
    lines = [f"workerbee: {error.problem.title}", *(f"  {line}" for line in detail.splitlines())]
    if error.problem in _NAMES_THE_LOG and str(log) not in detail:
        lines.append(f"  The log is {log}.")
    print(*lines, error.problem.advice, sep="\n", file=sys.stderr, flush=True)


def record_surprise(folders: Folders) -> UserError:
    """Log the exception under way in full, and make it something to say."""
    try:
        folders.prepare()
        log = set_up_logging(folders.logs)
    except (UserError, OSError):
        return UserError(ErrorKind.INTERNAL, "It could not be logged, because the folder for logs is not writable.")
    logging.getLogger(__name__).critical("a surprise", exc_info=True)
    return UserError(ErrorKind.INTERNAL, f"The log is {log}.")
