"""How often this peer has begun to read some data: who comes back from a pause reads on in a new order."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from core.data_spec import HubDataset, TextFiles
from core.folders import write_atomically
from core.worker.store import Store, in_words


def count_start(data: TextFiles | HubDataset, seed: int, store: Store) -> int:
    """How often before; raises ClientError where that cannot be noted."""
    name = hashlib.sha256(b"%d\n%s" % (seed, msgspec.json.encode(data))).hexdigest()
    path = store.folder("starts") / name[:32]
    before = _read(path)
    with in_words(path):
        write_atomically(path, b"%d" % (before + 1))
    return before


def _read(path: Path) -> int:
    try:
        return int(path.read_bytes()[:12])
    except (OSError, ValueError):
        return 0
