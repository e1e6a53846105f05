"""Reads a catalogue once and prints it if it is signed, or why it is refused: ``python -m core.catalogue SOURCE``.

A process of its own, because TLS and signatures would stay in the window's memory for ever.
"""

from __future__ import annotations

import signal
import sys

import msgspec

from core.catalogue.refusal import Refusal, RefusedCatalogueError
from core.catalogue.signed_file import SignedCatalogue
from core.catalogue.source import read_catalogue

LIMIT_SECONDS = 60  # in all, for a server that sends a byte now and then


def main() -> int:
    """Print the answer as JSON and return 0; whatever is wrong with the catalogue is an answer, too."""
    if hasattr(signal, "alarm"):
        signal.alarm(LIMIT_SECONDS)
    (source,) = sys.argv[1:]
    answer: SignedCatalogue | Refusal
    try:
        answer = read_catalogue(source)
    except RefusedCatalogueError as error:
        answer = error.refusal
    sys.stdout.buffer.write(msgspec.json.encode(answer))
    return 0


if __name__ == "__main__":
    sys.exit(main())
