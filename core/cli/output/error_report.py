"""An error as a person reads it: what happened and what to do; on stderr, and never a traceback."""

from __future__ import annotations

import logging
import sys

from core.cli.output.wrapping import print_wrapped
from core.errors import ErrorKind, UserError
from core.files.folders import Folders
from core.files.logs import set_up_logging
from core.security.sanitize import sanitize_text
from core.texts.errors import advice_of, title_of


def print_error(error: UserError) -> None:
    """Print the error in two or three lines; each of several details has a line of its own."""
    details = sanitize_text(str(error.detail)).strip().splitlines()
    lines = [f"workerbee: {title_of(error.problem)}", *(f"  {line}" for line in details), advice_of(error.problem)]
    print_wrapped("\n".join(lines), sys.stderr)


def log_unexpected_error(folders: Folders) -> UserError:
    """Log the exception that is being handled, and return it as an error for people."""
    try:
        folders.prepare()
        log = set_up_logging(folders.logs)
    except (UserError, OSError):
        return UserError(ErrorKind.INTERNAL, "It could not be logged, because the folder for logs is not writable.")
    logging.getLogger(__name__).critical("an unexpected error", exc_info=True)
    return UserError(ErrorKind.INTERNAL, f"The log is {log}.")
