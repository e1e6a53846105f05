"""How often this peer has begun to read some data: who comes back from a pause reads on in a new order."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from core.data_spec import ImageData, TextData
from core.folders import write_atomically
from core.worker.store import Store, in_words


def count_start(data: TextData | ImageData, seed: int, store: Store) -> int:
    """How often before; raises ClientError where that cannot be noted."""
    path = store.folder("starts") / f"{name_of(data)}-{seed}"
    before = _read(path)
    with in_words(path):
        write_atomically(path, b"%d" % (before + 1))
    return before


def name_of(data: TextData | ImageData) -> str:
    """A name for what lies on the disk about that data."""
    return hashlib.sha256(msgspec.json.encode(data)).hexdigest()[:32]


def _read(path: Path) -> int:
    try:
        return int(path.read_bytes()[:12])
    except (OSError, ValueError):
        return 0
