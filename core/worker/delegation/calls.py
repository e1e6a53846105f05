"""Calls to a process that may do what this one may not: a request over a Unix socket, and its answers one by one.

A request is one line of JSON, with a descriptor where it needs one. An answer is a frame: the length of its content
(4 bytes, big-endian), its kind (1 byte) and the content, in MessagePack. Both are bounded, and parsed into types.
"""

from __future__ import annotations

import logging
import os
import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from core.errors import ErrorKind, UserError
from core.localizable import Detail, localized, words_of
from core.security.verified_download import RefusedError, UnreachableError

MAX_REQUEST_BYTES = 1 << 20  # where the delegate takes no longer ones
MAX_ANSWER_BYTES = 1 << 28  # a few images that are as large as a run may have them
_PIECE_BYTES = 1 << 20
_HEADER = struct.Struct(">IB")
_ITEM, _FAILURE, _END = 0, 1, 2
_RAISED: dict[str, type[Exception]] = {
    each.__name__: each for each in (UnreachableError, RefusedError, ValueError, LookupError)
}

Delegate = Literal["fetcher", "network"]
"""The processes of a confined worker: the one that fetches files, and the one that starts p2pd and dials to ask."""
DELEGATES: dict[Delegate, str] = {"fetcher": "bee-fetcher", "network": "bee-network"}
"""What each is called in the system's list of processes."""

_sockets: dict[Delegate, Path] = {}

Item = TypeVar("Item")
Request = TypeVar("Request", bound=msgspec.Struct)

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Caller:
    """Who has sent a request: the connection, which ends with its wish, and the descriptor that came along, if any."""

    connection: socket.socket
    descriptor: int | None = None


Perform = Callable[[Request, Caller], Iterator[object]]


class _Failure(msgspec.Struct):
    """An exception: its class, what it says, and of an OSError its number."""

    error: str
    words: Detail
    number: int | None = None


def delegate_to(delegate: Delegate, path: Path) -> None:
    """From now on, in this process and those that it forks, that process does what is its own; it listens there."""
    _sockets[delegate] = path


def socket_of(delegate: Delegate) -> Path | None:
    """Where that process listens; ``None`` where this one does everything itself, as it is not confined."""
    return _sockets.get(delegate)


def ask(path: Path, request: msgspec.Struct, answers: type[Item]) -> Iterator[Item]:
    """Send a request and yield its answers as they come; whoever wants no more closes the iterator.

    Raises what the other process has raised, and UserError (WORKER_CRASHED) where it has ended.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        try:
            connection.connect(str(path))
            connection.sendall(msgspec.json.encode(request) + b"\n")
        except OSError as error:
            raise _ended(path) from error
        with connection.makefile("rb") as stream:
            while True:
                kind, content = _received(stream, path)
                if kind == _END:
                    return
                if kind == _FAILURE:
                    raise _error_of(msgspec.msgpack.decode(content, type=_Failure))
                yield msgspec.msgpack.decode(content, type=answers)


def serve_caller(
    connection: socket.socket, requests: Any, perform: Perform[Any], max_request_bytes: int = MAX_REQUEST_BYTES
) -> None:
    """Read the caller's request, which must be of the type ``requests``, and send all answers or what went wrong."""
    with connection, suppress(BrokenPipeError, ConnectionResetError):
        try:
            encoded, descriptor = _read_request(connection, max_request_bytes)
            request = msgspec.json.decode(encoded, type=requests)
            with closing(perform(request, Caller(connection, descriptor))) as answers:  # type: ignore[type-var]
                for answer in answers:
                    _send(connection, _ITEM, answer)
            _send(connection, _END, None)
        except (BrokenPipeError, ConnectionResetError):
            raise
        except Exception as error:
            log.info("what was asked for has failed: %r", error)
            number = error.errno if isinstance(error, OSError) else None
            name = "OSError" if isinstance(error, OSError) else type(error).__name__
            words = str(error.strerror or error) if isinstance(error, OSError) else words_of(error)
            bounded = words[:2000] if isinstance(words, str) else words
            _send(connection, _FAILURE, _Failure(name, bounded, number))


def _read_request(connection: socket.socket, max_bytes: int) -> tuple[bytearray, int | None]:
    """A request and its descriptor; one that is too long is read to its end, then raises ValueError."""
    piece, descriptors, *_ = socket.recv_fds(connection, _PIECE_BYTES, 1)
    for descriptor in descriptors[1:]:
        os.close(descriptor)
    encoded, length = bytearray(piece), len(piece)
    while piece and not piece.endswith(b"\n"):
        piece = connection.recv(_PIECE_BYTES)
        length += len(piece)
        if length <= max_bytes:
            encoded += piece
    if length > max_bytes:
        raise ValueError(localized("%1 bytes at once are too many", length))
    return encoded, descriptors[0] if descriptors else None


def _send(connection: socket.socket, kind: int, content: object) -> None:
    """Send a frame; raises ValueError for what is too large or cannot be encoded, and OSError."""
    try:
        encoded = msgspec.msgpack.encode(content)
    except (TypeError, OverflowError) as error:
        raise ValueError(localized("it cannot be passed on: %1", error)) from error
    if len(encoded) > MAX_ANSWER_BYTES:
        raise ValueError(localized("%1 bytes at once are too many", len(encoded)))
    connection.sendall(_HEADER.pack(len(encoded), kind) + encoded)


def _received(stream: Any, path: Path) -> tuple[int, bytes]:
    try:
        length, kind = _HEADER.unpack(stream.read(_HEADER.size))
        content: bytes = stream.read(length) if length <= MAX_ANSWER_BYTES else b""
        if len(content) != length:
            raise EOFError
    except (OSError, EOFError, struct.error) as error:
        raise _ended(path) from error
    return kind, content


def _ended(path: Path) -> UserError:
    return UserError(ErrorKind.WORKER_CRASHED, localized("The process “%1” has ended.", path.stem))


def _error_of(failure: _Failure) -> Exception:
    if failure.error == "OSError":
        words = str(failure.words)
        return OSError(failure.number, words) if failure.number is not None else OSError(words)
    if failure.error in _RAISED:
        return _RAISED[failure.error](failure.words)
    return ValueError(f"{failure.error}: {failure.words}")
