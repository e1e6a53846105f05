"""The order in which a peer reads its data: a new one after every start, shuffled in a bounded buffer."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from core.files.atomic import write_atomically
from core.run.spec.data import ImageData, TextData
from core.worker.fetch.file_store import FileStore, storage_errors_in_words


def increment_pass(data: TextData | ImageData, seed: int, store: FileStore) -> int:
    """Count one more start with that data and seed; how many there were before. Raises UserError for a full disk."""
    path = store.folder("starts") / f"{data_key(data)}-{seed}"
    before = _read(path)
    with storage_errors_in_words(path):
        write_atomically(path, b"%d" % (before + 1))
    return before


def data_key(data: TextData | ImageData) -> str:
    """A file name for what is kept on disk about that data: half of the SHA-256 of its section, in hex."""
    return hashlib.sha256(msgspec.json.encode(data)).hexdigest()[:32]


def _read(path: Path) -> int:
    try:
        return int(path.read_bytes()[:12])
    except (OSError, ValueError):
        return 0


Item = TypeVar("Item")


def shuffle_buffer(
    items: Iterable[Item], order: random.Random, size_of: Callable[[Item], int], limit: int
) -> Iterator[Item]:
    """Shuffle a stream with a buffer that holds at most ``limit`` of what ``size_of`` counts (as tf.data does)."""
    kept: list[Item] = []
    size = 0
    for item in items:
        kept.append(item)
        size += size_of(item)
        while size > limit:
            chosen = order.randrange(len(kept))
            kept[chosen], kept[-1] = kept[-1], kept[chosen]
            size -= size_of(kept[-1])
            yield kept.pop()
    order.shuffle(kept)
    yield from kept
