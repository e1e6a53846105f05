"""The .run file of a newer version, verified and run, so that it replaces the portable form that is installed."""

from __future__ import annotations

import subprocess
from pathlib import Path
from urllib.parse import urlsplit

from core.engine.install.wheel_download import Received, download_verified
from core.errors import ErrorKind, UserError
from core.files.atomic import storage_problem
from core.localizable import localized
from core.security.sanitize import sanitize_line
from core.security.verified_download import Remote
from core.updates.notice import PortableFile

_LIMIT_SECONDS = 900.0
_MOST_SAID = 600


def host_of(file: PortableFile) -> str:
    """The server that has the file, which learns that this computer asks."""
    return urlsplit(file.address).hostname or ""


def download_portable(file: PortableFile, folder: Path, received: Received) -> Path:
    """Download the file into ``folder``, from where an earlier attempt ended; returns its path.

    Raises UserError: DOWNLOAD_CUT, or DOWNLOAD_WRONG where it is not the file whose digest the publisher has signed.
    """
    target = folder / f"{file.sha256}.run"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        target.unlink(missing_ok=True)  # another program may have written to it since it was verified
    except OSError as error:
        raise storage_problem(error, folder) from error
    remote = Remote(file.address, file.size_bytes, file.sha256)
    return download_verified(remote, target, f"{target.name} ({host_of(file)})", received)


def install_portable(program: Path) -> None:
    """Run the .run file, which starts its version once before that replaces the installed one.

    Raises UserError, UPDATE_REFUSED, with what it says; the installed version is then as it was.
    """
    try:
        done = subprocess.run(
            ["sh", str(program), "--quiet"],  # without makeself's own progress
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_LIMIT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UserError(ErrorKind.UPDATE_REFUSED, localized("%1.", error)) from error
    if done.returncode != 0:
        raise UserError(ErrorKind.UPDATE_REFUSED, sanitize_line(done.stderr[-_MOST_SAID:], _MOST_SAID))
