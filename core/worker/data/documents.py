"""Where documents come from, and in which order a peer reads them."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Iterator
from typing import Protocol

from core.worker.errand import Errand

MAX_DOCUMENT_CHARACTERS = 100_000
_MIXED_CHARACTERS = 8_000_000


class Documents(Protocol):
    """All documents of the data, one after the other; raises ClientError for what cannot be read."""

    def read(self, order: random.Random | None, errand: Errand) -> Iterator[str]:
        """Once through the data, in that order; ``None`` is the order that is the same on every peer."""


def in_pieces(text: str) -> Iterator[str]:
    """The text; where it is very long, in pieces that count as documents of their own."""
    for start in range(0, len(text), MAX_DOCUMENT_CHARACTERS):
        yield text[start : start + MAX_DOCUMENT_CHARACTERS]


def mixed(texts: Iterable[str], order: random.Random) -> Iterator[str]:
    """The same texts in another order, without keeping more than some millions of characters."""
    kept: list[str] = []
    characters = 0
    for text in texts:
        kept.append(text)
        characters += len(text)
        while characters > _MIXED_CHARACTERS:
            chosen = order.randrange(len(kept))
            kept[chosen], kept[-1] = kept[-1], kept[chosen]
            characters -= len(kept[-1])
            yield kept.pop()
    order.shuffle(kept)
    yield from kept


def digest(text: str) -> int:
    """A number that every peer finds for the same text, and that says nothing about it."""
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "replace")).digest()[:8], "big")
