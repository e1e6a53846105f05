"""What a checkpoint says of itself, read without the library that reads its tensors."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path

import msgspec

from core.schema import UNREADABLE

_LENGTH_BYTES = 8
_MAX_HEADER_BYTES = 32 * 1024 * 1024  # a hundred bytes for each tensor


@dataclass(frozen=True)
class KeptCheckpoint:
    """A checkpoint's file, its epoch, and the held-out loss that it had, where that is known.

    ``rollback`` is the number of the last rollback before it; 0 where there was none.
    """

    path: Path
    epoch: int
    loss: float | None
    rollback: int = 0


class _Tensor(msgspec.Struct, frozen=True):
    """A tensor's first byte, and the one after its last, counted from the end of the header."""

    data_offsets: tuple[int, int]


def read_header(path: Path) -> KeptCheckpoint | None:
    """The header of a safetensors file; ``None`` where it is no checkpoint, or not as long as its header says.

    Source: the format's description in the documentation of safetensors. Every byte of the rest belongs to a tensor.
    """
    with contextlib.suppress(OSError, KeyError, ValueError, *UNREADABLE):
        with path.open("rb") as file:
            length = int.from_bytes(file.read(_LENGTH_BYTES), "little")
            size = os.fstat(file.fileno()).st_size
            header = file.read(length) if length <= _MAX_HEADER_BYTES else b""
        fields = msgspec.json.decode(header, type=dict[str, msgspec.Raw])
        about = msgspec.json.decode(fields.pop("__metadata__"), type=dict[str, str])
        ends = [msgspec.json.decode(each, type=_Tensor).data_offsets[1] for each in fields.values()]
        if _LENGTH_BYTES + length + max(ends, default=0) != size:
            return None
        loss, rollback = about.get("loss"), int(about.get("rollback", 0))
        return KeptCheckpoint(path, int(about["epoch"]), None if loss is None else float(loss), rollback)
    return None
