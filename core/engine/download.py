"""One file: from where it stopped to its end, and only if it is what it should be."""

from __future__ import annotations

import hashlib
import http.client
import os
import threading
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

from core.engine.files import EngineFile
from core.folders import storage_problem
from core.problems import ClientError, Problem

SILENCE_SECONDS = 30.0
_PIECE_BYTES = 256 * 1024
_SLACK_BYTES = 1024 * 1024  # a server may name a size that differs a little from the listed one, never more


class StoppedError(Exception):
    """Somebody wants it to stop; what has come is kept."""


def download(
    file: EngineFile, url: str, folder: Path, *, stop: threading.Event, tell: Callable[[int], None]
) -> Path:
    """Its path in ``folder``; ``tell`` is told after each piece how much of it is there.

    Raises ClientError where the line is cut, the disk is full or the file is another one, and StoppedError.
    """
    whole, part = folder / file.name, folder / f"{file.name}.part"
    if whole.is_file():
        return whole
    try:
        _receive(file, url, part, stop, tell)
        _check(file, part)
        part.replace(whole)
    except (urllib.error.URLError, http.client.HTTPException, TimeoutError, ConnectionError) as error:
        raise ClientError(Problem.DOWNLOAD_CUT, _told(file, url, error)) from error
    except OSError as error:
        raise storage_problem(error, part) from error
    return whole


def _receive(
    file: EngineFile, url: str, part: Path, stop: threading.Event, tell: Callable[[int], None]
) -> None:
    have = part.stat().st_size if part.is_file() else 0
    request = urllib.request.Request(url, headers={"Range": f"bytes={have}-"} if have else {})
    try:
        answer = urllib.request.urlopen(request, timeout=SILENCE_SECONDS)
    except urllib.error.HTTPError as error:
        if error.code == http.client.REQUESTED_RANGE_NOT_SATISFIABLE:  # all of it is there
            return
        raise
    with answer, part.open("ab") as out:
        if have and answer.status != http.client.PARTIAL_CONTENT:  # this server begins anew
            out.truncate(0)
            have = 0
        expected = have + int(answer.headers.get("Content-Length") or 0)
        while piece := answer.read(_PIECE_BYTES):
            out.write(piece)
            have += len(piece)
            tell(have)
            if stop.is_set():
                raise StoppedError
            if have > file.bytes + _SLACK_BYTES:  # it is another file, as its hash will say
                return
        out.flush()
        os.fsync(out.fileno())
    if have < expected:
        raise http.client.IncompleteRead(b"", expected - have)


def _check(file: EngineFile, part: Path) -> None:
    with part.open("rb") as opened:
        found = hashlib.file_digest(opened, "sha256").hexdigest()
    if found != file.sha256:
        part.unlink()
        raise ClientError(Problem.DOWNLOAD_WRONG, f"{file.name} has the sha256 {found}, not {file.sha256}.")


def _told(file: EngineFile, url: str, error: Exception) -> str:
    reason = getattr(error, "reason", None) or type(error).__name__
    return f"{file.name} from {urlsplit(url).netloc}: {reason}."
