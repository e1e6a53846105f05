"""The organiser's token for the hub: in a file of his own, or in ``HF_TOKEN``; a worker reads it from a file."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from core.errors import ErrorKind, UserError
from core.files.folders import Folders

VARIABLE = "HF_TOKEN"


def require_hub_token(folders: Folders) -> None:
    """Raise UserError where there is no token, or where others may read it."""
    if os.environ.get(VARIABLE):
        return
    own = folders.hub_token_file
    if not own.is_file():
        raise UserError(ErrorKind.PUSH_FAILED, f"There is no token in {own}, nor in the variable {VARIABLE}.")
    if os.name == "posix" and own.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise UserError(ErrorKind.PUSH_FAILED, f"{own} can be read by others; `chmod 600` it.")


@contextlib.contextmanager
def hub_token_file(folders: Folders) -> Iterator[Path]:
    """A file that only its owner can read, with the token; that of ``HF_TOKEN`` is deleted when the block ends.

    Raises UserError as `require_hub_token` does.
    """
    require_hub_token(folders)
    if token := os.environ.get(VARIABLE):
        with tempfile.NamedTemporaryFile("w", dir=folders.cache, prefix="token.") as file:  # mode 0600
            file.write(token)
            file.flush()
            yield Path(file.name)
    else:
        yield folders.hub_token_file
