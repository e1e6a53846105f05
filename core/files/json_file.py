"""Small JSON files that are read within a bound and checked against a type, and replaced as a whole."""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from core.files.atomic import quarantine, write_atomically
from core.schema import UNREADABLE

MAX_FILE_BYTES = 1024 * 1024
INTERRUPTED_SECONDS = 10.0  # since a file was written to that nobody writes any more

_Value = TypeVar("_Value")
_DAMAGED = (*UNREADABLE, ValueError)
_log = logging.getLogger(__name__)


class FileTooLongError(ValueError):
    """A file has more bytes than any that Workerbee writes there."""


def read_bounded(path: Path, max_bytes: int) -> bytes:
    """The file's bytes; raises OSError, and FileTooLongError before more than ``max_bytes`` are read."""
    with path.open("rb") as file:
        encoded = file.read(max_bytes + 1)
    if len(encoded) > max_bytes:
        raise FileTooLongError(f"{path} has more than {max_bytes} bytes")
    return encoded


class JsonFile(Generic[_Value]):
    """A JSON file that holds one value of a type, such as ``dict[str, int]`` or a struct.

    A damaged file is renamed (``quarantined`` is its new path) and counts as none: never overwritten, never fatal.
    ``read`` and ``write`` raise OSError for a disk that refuses; ``load`` and ``save``, for what is only kept to save
    time, log that instead.
    """

    def __init__(
        self,
        path: Path,
        kind: Any,
        *,
        max_bytes: int = MAX_FILE_BYTES,
        dec_hook: Callable[[type, Any], Any] | None = None,
    ) -> None:
        """``dec_hook`` decodes types that msgspec does not know."""
        self.path = path
        self.quarantined: Path | None = None
        self._max_bytes = max_bytes
        self._decoder: msgspec.json.Decoder[_Value] = msgspec.json.Decoder(kind, dec_hook=dec_hook)

    def read(self) -> _Value | None:
        """The value; ``None`` where there is no file, or one that was damaged. Raises OSError."""
        try:
            return self._decoder.decode(read_bounded(self.path, self._max_bytes))
        except FileNotFoundError:
            return None
        except (*_DAMAGED, IsADirectoryError) as error:
            self.quarantined = quarantine(self.path)
            _log.warning("%s is damaged, and is now %s: %r", self.path, self.quarantined.name, error)
            return None

    def write(self, value: _Value) -> None:
        """Replace the file, whose folder is made if need be; raises OSError, also for more than would be read again."""
        encoded = msgspec.json.format(msgspec.json.encode(value, enc_hook=str))
        if len(encoded) > self._max_bytes:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(self.path))
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_atomically(self.path, encoded)
        self._remove_interrupted()

    def _remove_interrupted(self) -> None:
        """Remove what a process that was killed in the middle of a write has left."""
        for half in self.path.parent.glob(f".{self.path.name}.*.tmp"):
            with contextlib.suppress(OSError):
                if time.time() - half.stat().st_mtime > INTERRUPTED_SECONDS:
                    half.unlink()

    def load(self) -> _Value | None:
        """The same as ``read``; a file that cannot be read counts as none."""
        try:
            return self.read()
        except OSError as error:
            _log.warning("%s cannot be read: %r", self.path, error)
            return None

    def save(self, value: _Value) -> bool:
        """The same as ``write``; whether the disk took it."""
        try:
            self.write(value)
        except OSError as error:
            _log.warning("%s cannot be written: %r", self.path, error)
            return False
        return True
