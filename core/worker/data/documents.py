"""Documents, the unit of text data: the interface of their sources, and documents of a hub's data set."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from typing import Protocol

from core.errors import ErrorKind, UserError
from core.localizable import localized
from core.run.spec.data import HubDataset
from core.worker.data.hub_rows import HubRows
from core.worker.fetch.background_task import BackgroundTask
from core.worker.fetch.file_store import FileStore

MAX_DOCUMENT_CHARACTERS = 100_000
_TRIED_ROWS = 1000  # in which the first text is looked for


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
        self._rows, self._column = HubRows(data, (data.column,), store), data.column

    def read(self, order: random.Random | None, task: BackgroundTask) -> Iterator[str]:
        """Read the split once, in that order; raises UserError.

        A column without text is found out in the order that is the same on every peer, in which it is read first.
        """
        has_text = order is not None
        for number, (text,) in enumerate(self._rows.read(order, task), 1):
            if isinstance(text, str):
                has_text = has_text or bool(text)
                yield from split_long_text(text)
            if not has_text and number == _TRIED_ROWS:
                raise UserError(
                    ErrorKind.FILES_REFUSED,
                    localized("The column “%1” holds no text in the first %2 rows.", self._column, number),
                )
