"""One file from an http(s) address: goes on where it was cut, and is used only if its digest is right."""

from __future__ import annotations

import hashlib
import http.client
import os
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal

from core.problems import ClientError, Problem
from core.worker.errand import Errand
from core.worker.patience import UnreachableError, patiently
from core.worker.store import in_words

SILENCE_SECONDS = 20.0
_PIECE_BYTES = 1 << 16
_WORTH_ANOTHER_TRY = (408, 425, 429)


@dataclass(frozen=True)
class Remote:
    """A file elsewhere, and what it must be. A git digest is SHA-1, of a blob."""

    url: str
    size_bytes: int
    digest: str
    algorithm: Literal["sha256", "git"] = "sha256"

    def refused(self, why: str) -> ClientError:
        """It is not what it must be."""
        return ClientError(Problem.FILES_REFUSED, f"{self.url}: {why}.")


def download(remote: Remote, part: Path, target: Path, errand: Errand) -> None:
    """Fetch it into ``part``, however often it is cut; whole and verified it becomes ``target``.

    Raises ClientError for what will never be right, and Abandoned.
    """
    with in_words(part):
        part.touch(0o600)
    errand.received_bytes += part.stat().st_size
    patiently(lambda: _go_on(remote, part, errand), errand, remote.url)
    with in_words(part):
        found = _digest(part, remote)
        if found != remote.digest:
            part.unlink()
            raise remote.refused(f"its digest is {found}, and should be {remote.digest}")
        part.replace(target)


def _digest(part: Path, remote: Remote) -> str:
    with part.open("r+b") as file:
        os.fsync(file.fileno())
        if remote.algorithm == "sha256":
            return hashlib.file_digest(file, "sha256").hexdigest()
        blob = hashlib.sha1(b"blob %d\0" % remote.size_bytes)
        return hashlib.file_digest(file, lambda: blob).hexdigest()


def _go_on(remote: Remote, part: Path, errand: Errand) -> None:
    """Fetch what is still missing."""
    have = part.stat().st_size
    if have == remote.size_bytes:
        return
    headers = {"Accept-Encoding": "identity", "User-Agent": "workerbee"}
    if 0 < have < remote.size_bytes:
        headers["Range"] = f"bytes={have}-"
    with _opened(urllib.request.Request(remote.url, headers=headers), remote) as answer:
        goes_on = answer.status == http.client.PARTIAL_CONTENT
        with in_words(part), part.open("ab" if goes_on else "wb") as written:
            if not goes_on:
                errand.received_bytes -= have
            _write(answer, written, remote, errand)


def _opened(request: urllib.request.Request, remote: Remote) -> http.client.HTTPResponse:
    """The answer, if it is one; raises UnreachableError where another try may help."""
    try:
        answer: http.client.HTTPResponse = urllib.request.urlopen(request, timeout=SILENCE_SECONDS)
    except urllib.error.HTTPError as error:
        error.close()
        if is_final(error.code):
            raise remote.refused(f"the server answers {error.code} {error.reason}") from error
        raise UnreachableError(f"{error.code} {error.reason}") from error
    except (OSError, http.client.HTTPException) as error:
        raise UnreachableError(repr(error)) from error
    return answer


def is_final(status: int) -> bool:
    """Whether a server that answers so would not answer otherwise a little later."""
    return 400 <= status < 500 and status not in _WORTH_ANOTHER_TRY


def _write(answer: http.client.HTTPResponse, written: BinaryIO, remote: Remote, errand: Errand) -> None:
    have = written.tell()
    if answer.length is not None and have + answer.length != remote.size_bytes:
        raise remote.refused(f"it has {have + answer.length} bytes, and should have {remote.size_bytes}")
    while piece := _read(answer):
        errand.check()
        have += len(piece)
        if have > remote.size_bytes:
            raise remote.refused(f"it has more than the {remote.size_bytes} bytes that it should have")
        written.write(piece)
        errand.received_bytes += len(piece)
    if have < remote.size_bytes:
        raise UnreachableError(f"cut after {have} of {remote.size_bytes} bytes")


def _read(answer: http.client.HTTPResponse) -> bytes:
    try:
        return answer.read1(_PIECE_BYTES)
    except (OSError, http.client.HTTPException) as error:
        raise UnreachableError(repr(error)) from error
