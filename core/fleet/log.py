"""The log of a fleet: snapshots as JSON lines, in files that are rotated, from which any moment can be shown again."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from core.fleet.snapshot import FleetSnapshot
from core.protocol.codec import MAX_LINE_BYTES, encode
from core.schema import UNREADABLE

MAX_FILE_BYTES = 16 * 1024 * 1024
KEPT_FILES = 7  # besides the one that is written; all together are bounded

_decoder = msgspec.json.Decoder(FleetSnapshot)


class FleetLog:
    """Appends snapshots to ``path``; a full file becomes ``path.1``, that ``path.2``, and the oldest is deleted."""

    def __init__(self, path: Path, max_bytes: int = MAX_FILE_BYTES, kept: int = KEPT_FILES) -> None:
        self._path, self._max_bytes, self._kept = path, max_bytes, kept

    def add(self, snapshot: FleetSnapshot) -> None:
        """Append one line; raises OSError, and then nothing or a part of the line is there, which readers pass over."""
        line = encode(snapshot)
        descriptor = self._opened()
        try:
            length = os.fstat(descriptor).st_size
            if length + len(line) > self._max_bytes and length:
                os.close(descriptor)
                descriptor = -1
                self._rotate()
                descriptor, length = self._opened(), 0
            is_torn = length > 0 and os.pread(descriptor, 1, length - 1) != b"\n"
            rest = memoryview(b"\n" + line if is_torn else line)
            while rest:
                rest = rest[os.write(descriptor, rest) :]
        finally:
            if descriptor >= 0:
                os.close(descriptor)

    def _opened(self) -> int:
        return os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def _rotate(self) -> None:
        for number in range(self._kept, 0, -1):
            newer = numbered(self._path, number - 1)
            if newer.exists():
                newer.replace(numbered(self._path, number))


def numbered(path: Path, number: int) -> Path:
    """The file that was rotated so often; 0 is the one that is written."""
    return path.with_name(f"{path.name}.{number}") if number else path


def read_log(path: Path, kept: int = KEPT_FILES) -> Iterator[FleetSnapshot]:
    """Every snapshot in the log, the oldest first; lines that are none, such as one cut off, are passed over.

    Raises OSError where the file that is written cannot be read; rotated ones may be missing.
    """
    older = [numbered(path, number) for number in range(kept, 0, -1)]
    for file in (*(each for each in older if each.exists()), path):
        with file.open("rb") as lines:
            while line := lines.readline(MAX_LINE_BYTES + 1):
                try:
                    yield _decoder.decode(line)
                except UNREADABLE:
                    continue
