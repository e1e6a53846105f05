"""Downloads one file over http(s), goes on where it was cut, and accepts it only with the right digest."""

from __future__ import annotations

import errno
import hashlib
import http.client
import io
import os
import re
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal

from core.localizable import localized, words_of
from core.security.address_guard import AddressGuard, AddressRefusedError
from core.security.http_opener import http_opener

SILENCE_SECONDS = 30.0
_PIECE_BYTES = 1 << 18
_WORTH_ANOTHER_TRY = (408, 425, 429)
_CONTENT_RANGE = re.compile(r"bytes ([0-9]{1,18})-[0-9]{1,18}/([0-9]{1,18}|\*)\Z")  # RFC 9110, section 14.4
_HEADERS = {"Accept-Encoding": "identity", "User-Agent": "workerbee"}


class UnreachableError(Exception):
    """Another computer has not answered, or not to the end; another try may help."""


class RefusedError(Exception):
    """There is no such file, or it is another one; no other try will help."""


@dataclass(frozen=True)
class Remote:
    """A file at an address, and the size and digest that it must have; a git digest is the SHA-1 of a blob.

    Its true size may differ by ``slack_bytes`` from the one that was listed. Whoever does not trust those who
    named the address has a ``guard``, so that it never leads to this computer or into its own network.
    """

    url: str
    size_bytes: int
    digest: str
    algorithm: Literal["sha256", "git"] = "sha256"
    slack_bytes: int = 0
    guard: AddressGuard | None = None

    @classmethod
    def at_most(cls, url: str, most_bytes: int, guard: AddressGuard | None) -> Remote:
        """A file of any size up to ``most_bytes``, and of any content, which its reader verifies."""
        half = most_bytes // 2
        return cls(url, half, "", slack_bytes=half, guard=guard)


def fetch_rest(remote: Remote, part: Path) -> Iterator[int]:
    """Append to ``part`` what is still missing, or begin anew where the server cannot go on.

    Yields how many bytes are there, as they come; who closes the iterator keeps them.

    Raises UnreachableError, RefusedError, and OSError for what the disk does not take.
    """
    have = part.stat().st_size if part.exists() else 0
    yield have
    if have == remote.size_bytes:
        return
    may_go_on = 0 < have < remote.size_bytes + remote.slack_bytes
    answer = _opened(remote, {"Range": f"bytes={have}-"} if may_go_on else {})
    if answer is None:
        return
    with answer:
        goes_on = answer.status == http.client.PARTIAL_CONTENT
        told = _CONTENT_RANGE.match(answer.headers.get("Content-Range", "")) if goes_on else None
        if told is not None and int(told[1]) != have:
            part.write_bytes(b"")  # the next attempt asks for all of it
            raise UnreachableError(localized("it sends another part of the file than was asked for"))
        total = int(told[2]) if told is not None and told[2] != "*" else None
        with part.open("ab" if goes_on else "wb") as written:
            yield from _write(answer, written, remote, total)


def accept(remote: Remote, part: Path, target: Path) -> None:
    """Rename ``part`` to ``target`` once it is verified; raises RefusedError with nothing left, or OSError."""
    with part.open("r+b") as file:
        os.fsync(file.fileno())
        found = _digest(file, remote)
    if found != remote.digest:
        part.unlink()
        raise RefusedError(localized("its digest is %1, and should be %2", found, remote.digest))
    part.replace(target)


def is_verified(remote: Remote, path: Path) -> bool:
    """Whether that file has the right digest; raises OSError."""
    with path.open("rb") as file:
        return _digest(file, remote) == remote.digest


def is_final(status: int) -> bool:
    """Whether a server that answers with this HTTP status would answer the same a little later."""
    return 400 <= status < 500 and status not in _WORTH_ANOTHER_TRY


def _digest(file: io.BufferedRandom | io.BufferedReader, remote: Remote) -> str:
    if remote.algorithm == "sha256":
        return hashlib.file_digest(file, "sha256").hexdigest()
    blob = hashlib.sha1(b"blob %d\0" % remote.size_bytes)
    return hashlib.file_digest(file, lambda: blob).hexdigest()


def _opened(remote: Remote, headers: dict[str, str]) -> http.client.HTTPResponse | None:
    """The answer, if it is one; ``None`` where the server says that nothing is missing."""
    request = urllib.request.Request(remote.url, headers=_HEADERS | headers)
    try:
        answer: http.client.HTTPResponse = http_opener(remote.guard).open(request, timeout=SILENCE_SECONDS)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == http.client.REQUESTED_RANGE_NOT_SATISFIABLE and "Range" in headers:
            return None
        words = localized("the server answers %1 %2", error.code, error.reason)
        is_refusal = is_final(error.code) or 300 <= error.code < 400  # a redirection that leads nowhere
        raise (RefusedError if is_refusal else UnreachableError)(words) from error
    except (AddressRefusedError, http.client.InvalidURL, ValueError) as error:
        raise RefusedError(words_of(error)) from error
    except urllib.error.URLError as error:
        if isinstance(error.reason, OSError) and error.reason.errno == errno.EACCES:
            raise RefusedError(
                localized("it leads to a port from which this computer lets nothing be fetched")
            ) from error
        raise UnreachableError(str(error.reason)) from error
    except (OSError, http.client.HTTPException) as error:
        raise UnreachableError(repr(error)) from error
    return answer


def _write(answer: http.client.HTTPResponse, written: BinaryIO, remote: Remote, total: int | None) -> Iterator[int]:
    """Append what comes; ``total`` is the file's length where the server tells it apart from that of its answer."""
    have = written.tell()
    least, most = remote.size_bytes - remote.slack_bytes, remote.size_bytes + remote.slack_bytes
    whole = total if total is not None or answer.length is None else have + answer.length
    if whole is not None:
        if not least <= whole <= most:
            raise RefusedError(localized("it has %1 bytes, and should have %2", whole, remote.size_bytes))
        least = most = whole
    while piece := _read(answer):
        have += len(piece)
        if have > most:
            raise RefusedError(localized("it has more than the %1 bytes that it may have", most))
        written.write(piece)
        yield have
    if have < least:
        raise UnreachableError(localized("cut after %1 of %2 bytes", have, remote.size_bytes))


def _read(answer: http.client.HTTPResponse) -> bytes:
    try:
        return answer.read1(_PIECE_BYTES)
    except (OSError, http.client.HTTPException) as error:
        raise UnreachableError(repr(error)) from error
