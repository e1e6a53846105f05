"""Reads a catalogue in a process of the engine, so that nobody waits for a server, a signature or a long list."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from core.catalogue.refusal import Refusal
from core.catalogue.signed_file import SignedCatalogue
from core.engine.answering_process import AnsweringProcess


class CatalogueReading(AnsweringProcess):
    """One reading of the catalogue at ``source``; ``post`` is called from a thread of its own."""

    def __init__(self, source: str, data: Path, post: Callable[[SignedCatalogue | Refusal], None]) -> None:
        super().__init__("core.catalogue", (source,), data, lambda said: post(_answer_in(said)))


def _answer_in(said: bytes | None) -> SignedCatalogue | Refusal:
    if said is not None:
        try:
            answer: SignedCatalogue | Refusal = msgspec.json.decode(said, type=SignedCatalogue | Refusal)
            return answer
        except (msgspec.MsgspecError, UnicodeDecodeError):
            pass
    return Refusal("unreachable")
