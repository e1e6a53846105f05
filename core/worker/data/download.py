"""One file from an http(s) address: goes on where it was cut, and is used only if its hash is right."""

from __future__ import annotations

import hashlib
import http.client
import os
import urllib.error
import urllib.request
from pathlib import Path
from typing import BinaryIO

from core.data_spec import FileAt
from core.problems import ClientError, Problem
from core.worker.errand import Errand
from core.worker.patience import patiently
from core.worker.store import in_words

SILENCE_SECONDS = 20.0
_PIECE_BYTES = 1 << 16
_WORTH_ANOTHER_TRY = (408, 425, 429)


def download(file: FileAt, part: Path, target: Path, errand: Errand) -> None:
    """Fetch it into ``part``, however often it is cut; whole and verified it becomes ``target``.

    Raises ClientError for what will never be right, and Abandoned.
    """
    patiently(lambda: _go_on(file, part, errand), errand, file.url)
    with in_words(part), part.open("rb") as fetched:
        sha256 = hashlib.file_digest(fetched, "sha256").hexdigest()
        os.fsync(fetched.fileno())
    if sha256 != file.sha256:
        part.unlink()
        raise _refused(file, f"its SHA-256 is {sha256}, and the run says {file.sha256}")
    with in_words(target):
        part.replace(target)


def _go_on(file: FileAt, part: Path, errand: Errand) -> None:
    """Fetch what is still missing."""
    with in_words(part), part.open("ab") as written:
        have = written.tell()
        if have > file.size_bytes:
            written.truncate(have := 0)
    if have == file.size_bytes:
        return
    request = urllib.request.Request(file.url, headers={"Accept-Encoding": "identity"})
    if have:
        request.add_header("Range", f"bytes={have}-")
    with _opened(request, file) as answer, part.open("ab") as written:
        if have and answer.status != http.client.PARTIAL_CONTENT:
            with in_words(part):
                written.truncate(0)
            errand.received_bytes -= have
            have = 0
        _write(answer, written, file, have, errand)


def _opened(request: urllib.request.Request, file: FileAt) -> http.client.HTTPResponse:
    """The answer, if it is one; raises OSError where another try may help."""
    try:
        answer: http.client.HTTPResponse = urllib.request.urlopen(request, timeout=SILENCE_SECONDS)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code < 500 and error.code not in _WORTH_ANOTHER_TRY:
            raise _refused(file, f"the server answers {error.code} {error.reason}") from error
        raise
    return answer


def _write(
    answer: http.client.HTTPResponse, written: BinaryIO, file: FileAt, have: int, errand: Errand
) -> None:
    promised = answer.length
    if promised is not None and have + promised != file.size_bytes:
        raise _refused(file, f"it has {have + promised} bytes, and the run says {file.size_bytes}")
    while piece := answer.read1(_PIECE_BYTES):
        errand.check()
        have += len(piece)
        if have > file.size_bytes:
            raise _refused(file, f"it has more than the {file.size_bytes} bytes that the run says")
        with in_words(Path(written.name)):
            written.write(piece)
            written.flush()
        errand.received_bytes += len(piece)
    if have < file.size_bytes:
        raise ConnectionError(f"cut after {have} of {file.size_bytes} bytes")


def _refused(file: FileAt, why: str) -> ClientError:
    return ClientError(Problem.FILES_REFUSED, f"{file.url}: {why}.")
