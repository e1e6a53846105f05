"""Files that hold a secret key: made once, for their owner only, and never overwritten."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from core.errors import ErrorKind, UserError
from core.files.atomic import create_atomically, storage_problem
from core.localizable import LocalizedText, localized

_MAX_KEY_FILE_BYTES = 8192


def load_or_create_key(path: Path, make: Callable[[], bytes]) -> bytes:
    """The key in that file, which ``make`` makes if there is none; raises UserError for a folder that refuses."""
    try:
        if not os.path.lexists(path):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            create_atomically(path, make())
    except OSError as error:
        if not os.path.lexists(path):  # else another process was quicker, and its key counts
            raise storage_problem(error, path) from error
    try:
        return _read_secret(path)
    except OSError as error:
        raise damaged_key(localized("%1 cannot be read: %2.", path, error.strerror)) from error


def _read_secret(path: Path) -> bytes:
    """What the file holds, which from now on only its owner can read."""
    with path.open("rb") as file:
        if os.name == "posix" and os.fstat(file.fileno()).st_mode & 0o077:
            os.fchmod(file.fileno(), 0o600)
        return file.read(_MAX_KEY_FILE_BYTES)


def damaged_key(why: LocalizedText) -> UserError:
    """The error for a key file that cannot be used; ``why`` names it."""
    return UserError(ErrorKind.IDENTITY_DAMAGED, why)
