"""Where documents come from, and in which order a peer reads them."""

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
    """All documents of the data, one after the other; raises ClientError for what cannot be read."""

    def read(self, order: random.Random | None, errand: BackgroundTask) -> Iterator[str]:
        """Once through the data, in that order; ``None`` is the order that is the same on every peer."""


def in_pieces(text: str) -> Iterator[str]:
    """The text; where it is very long, in pieces that count as documents of their own."""
    for start in range(0, len(text), MAX_DOCUMENT_CHARACTERS):
        yield text[start : start + MAX_DOCUMENT_CHARACTERS]


def digest(content: str | bytes) -> int:
    """A number that every peer finds for the same content, and that says nothing about it."""
    encoded = content.encode("utf-8", "replace") if isinstance(content, str) else content
    return int.from_bytes(hashlib.sha256(encoded).digest()[:8], "big")


class HubDocuments:
    """The text of one column of one split."""

    def __init__(self, data: HubDataset, store: FileStore) -> None:
        self._rows = HubRows(data, (data.column,), store)

    def read(self, order: random.Random | None, errand: BackgroundTask) -> Iterator[str]:
        """Once through the split; raises ClientError."""
        for (text,) in self._rows.read(order, errand):
            if isinstance(text, str):
                yield from in_pieces(text)
