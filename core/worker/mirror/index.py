"""The index of a mirror: a small JSON file that names the newest state in the same folder, and says what it is."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from core.localizable import localized
from core.schema import UNREADABLE, Count, Sha256, StrictStruct
from core.worker.swarm import Version

_FileName = Annotated[str, Meta(pattern=r"^[0-9]{1,18}-[0-9a-f]{32}\.safetensors\Z")]
"""A bare name: it leads nowhere but into the mirror's own folder."""


class MirrorIndex(StrictStruct, kw_only=True, frozen=True):
    """The newest state of a run: its file, the file's size and SHA-256, its epoch, and its version.

    The ``file`` is named by its version: the number of ``outer_steps`` and ``root``, the BLAKE2b hash of base weights
    and outer momentum in hexadecimal.
    """

    run_id: Annotated[str, Meta(max_length=64)]
    file: _FileName
    size_bytes: Annotated[int, Meta(ge=1, le=10**12)]
    sha256: Sha256
    epoch: Count
    outer_steps: Count
    root: Annotated[str, Meta(pattern=r"^[0-9a-f]{32}\Z")]
    format: Literal[1] = 1

    @property
    def version(self) -> Version:
        """Of the base weights in the file, as the index tells."""
        return self.outer_steps, bytes.fromhex(self.root)


def file_name(version: Version) -> str:
    """The name of the file of that version; no two states share one."""
    return f"{version[0]}-{version[1].hex()}.safetensors"


def decode_index(encoded: bytes) -> MirrorIndex:
    """The index in those bytes; raises ValueError, in words, for anything else."""
    try:
        index = msgspec.json.decode(encoded, type=MirrorIndex)
    except UNREADABLE as error:
        raise ValueError(localized("its index cannot be read: %1", error)) from error
    if index.file != file_name(index.version):
        raise ValueError(localized("its index names a file of another version than it tells"))
    return index
