"""Documents, the unit of text data: the interface of their sources, and documents of a hub's data set."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from typing import Protocol

from core.run.spec.data import HubDataset
from core.worker.data.hub_rows import HubRows
from core.worker.fetch.background_task import BackgroundTask
from core.worker.fetch.file_store import FileStore

MAX_DOCUMENT_CHARACTERS = 100_000


class Documents(Protocol):
    """A source of documents; raises UserError for what cannot be read."""

    def read(self, order: random.Random | None, task: BackgroundTask) -> Iterator[str]:
        """Read all documents once, in that order; ``None`` is the order that is the same on every peer."""


def split_long_text(text: str) -> Iterator[str]:
    """The text, cut into documents of at most ``MAX_DOCUMENT_CHARACTERS``."""
    for start in range(0, len(text), MAX_DOCUMENT_CHARACTERS):
        yield text[start : start + MAX_DOCUMENT_CHARACTERS]


def content_hash(content: str | bytes) -> int:
    """The first 64 bits of the content's SHA-256, the same on every peer."""
    encoded = content.encode("utf-8", "replace") if isinstance(content, str) else content
    return int.from_bytes(hashlib.sha256(encoded).digest()[:8], "big")


class HubDocuments:
    """Documents of one column of one split of a data set on the Hugging Face hub."""

    def __init__(self, data: HubDataset, store: FileStore) -> None:
        self._rows = HubRows(data, (data.column,), store)

    def read(self, order: random.Random | None, task: BackgroundTask) -> Iterator[str]:
        """Read the split once, in that order; raises UserError."""
        for (text,) in self._rows.read(order, task):
            if isinstance(text, str):
                yield from split_long_text(text)
