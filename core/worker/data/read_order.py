"""How often this peer has begun to read some data: who comes back from a pause reads on in a new order."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from core.files.atomic import write_atomically
from core.run.spec.data import ImageData, TextData
from core.worker.fetch.file_store import FileStore, in_words


def increment_pass(data: TextData | ImageData, seed: int, store: FileStore) -> int:
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


Item = TypeVar("Item")


def shuffle_buffer(
    items: Iterable[Item], order: random.Random, size_of: Callable[[Item], int], most: int
) -> Iterator[Item]:
    """The same items in that order, without keeping more than ``most`` of what ``size_of`` counts."""
    kept: list[Item] = []
    size = 0
    for item in items:
        kept.append(item)
        size += size_of(item)
        while size > most:
            chosen = order.randrange(len(kept))
            kept[chosen], kept[-1] = kept[-1], kept[chosen]
            size -= size_of(kept[-1])
            yield kept.pop()
    order.shuffle(kept)
    yield from kept
