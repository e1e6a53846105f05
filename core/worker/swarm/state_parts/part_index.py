"""The index of a state's file: the SHA-256 of each part, by which a part of any donor is known to be right."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import msgspec

from core.worker.swarm.state_parts.messages import Offer, Version

PART_BYTES = 2**18
HASH_BYTES = 32


@dataclass(frozen=True)
class PartIndex:
    """Of a file of ``size_bytes`` with a state of that version; ``hashes`` are those of its parts, joined."""

    version: Version
    size_bytes: int
    hashes: bytes

    @property
    def digest(self) -> bytes:
        """The SHA-256 of all that the index says; donors of one digest have the same file."""
        about = msgspec.msgpack.encode((*self.version, self.size_bytes))
        return hashlib.sha256(about + self.hashes).digest()

    @property
    def offer(self) -> Offer:
        """What a donor tells of its file."""
        return Offer("", *self.version, self.size_bytes, self.digest)

    @property
    def parts(self) -> int:
        """How many parts the file has."""
        return parts_of(self.size_bytes)

    def length(self, number: int) -> int:
        """The bytes of that part; the last one may be shorter."""
        return min(PART_BYTES, self.size_bytes - number * PART_BYTES)

    def is_right(self, number: int, data: bytes) -> bool:
        """Whether those bytes are that part."""
        start = number * HASH_BYTES
        return hashlib.sha256(data).digest() == self.hashes[start : start + HASH_BYTES]


def parts_of(size_bytes: int) -> int:
    """How many parts a file of that size has."""
    return -(-size_bytes // PART_BYTES)


def index_of(path: Path, version: Version) -> PartIndex:
    """That of the file with a state of that version; raises OSError."""
    size, hashes = 0, bytearray()
    with path.open("rb") as file:
        while part := file.read(PART_BYTES):
            size += len(part)
            hashes += hashlib.sha256(part).digest()
    return PartIndex(version, size, bytes(hashes))
