"""Reads a catalogue once and prints it if it is signed, or why it is refused: ``python -m core.catalogue SOURCE``.

A process of its own, because TLS and signatures would stay in the window's memory for ever.
"""

from __future__ import annotations

import sys

import msgspec

from core.catalogue.refusal import RefusedCatalogueError
from core.catalogue.source import read_catalogue
from core.engine.one_answer import answer_once


def answer(source: str) -> bytes:
    """Return the catalogue as JSON; whatever is wrong with it is an answer, too."""
    try:
        return msgspec.json.encode(read_catalogue(source))
    except RefusedCatalogueError as error:
        return msgspec.json.encode(error.refusal)


if __name__ == "__main__":
    sys.exit(answer_once(answer))
