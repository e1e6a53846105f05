"""`help`: what may be typed after it, and what that asks for."""

from __future__ import annotations

import argparse
from dataclasses import dataclass

from core.cli.options.shared_options import add_json
from core.files.documents import INDEX


@dataclass(frozen=True)
class ShowDocument:
    """The command `help`, which prints one of the shipped documents."""

    topic: str
    json: bool


def add_help(parser: argparse.ArgumentParser) -> None:
    """Add the topic and the form of the answer to the parser of `help`."""
    parser.add_argument(
        "topic", metavar="TOPIC", nargs="?", default=INDEX, help="a document; without one, the list of them"
    )
    add_json(parser, "print topic, title and text as a JSON object")
