"""One file for the program itself, such as a wheel: from where it stopped, and only if it is what it should be."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

from core.engine.file_lists import EngineFile
from core.errors import ErrorKind, UserError
from core.files.atomic import storage_problem
from core.localizable import localized
from core.security.verified_download import (
    RefusedError,
    Remote,
    UnreachableError,
    accept,
    fetch_rest,
)

_SLACK_BYTES = 1024 * 1024  # some sizes are listed as an index shows them, rounded

Received = Callable[[int], None]
"""Told how many bytes of the file are there; may raise, and what is there is kept."""


class StoppedError(Exception):
    """The installation was stopped by a person; what was downloaded is kept."""


def download(file: EngineFile, url: str, folder: Path, received: Received) -> Path:
    """Download one wheel into ``folder``, from where an earlier attempt ended; returns its path.

    Raises UserError where the line is cut, the disk is full or the file is another one, and whatever
    ``received`` raises.
    """
    whole = folder / file.name
    if whole.is_file():
        return whole
    remote = Remote(url, file.bytes, file.sha256, slack_bytes=_SLACK_BYTES)
    return download_verified(remote, whole, f"{file.name} ({urlsplit(url).netloc})", received)


def download_verified(remote: Remote, whole: Path, where: str, received: Received) -> Path:
    """Download a file to the path ``whole`` as `download` does; ``where`` names it in what is raised."""
    part = whole.with_name(f"{whole.name}.part")
    try:
        for have in fetch_rest(remote, part):
            received(have)
        accept(remote, part, whole)
    except UnreachableError as error:
        raise UserError(ErrorKind.DOWNLOAD_CUT, localized("%1: %2.", where, error)) from error
    except RefusedError as error:
        raise UserError(ErrorKind.DOWNLOAD_WRONG, localized("%1: %2.", where, error)) from error
    except OSError as error:
        raise storage_problem(error, part) from error
    return whole
