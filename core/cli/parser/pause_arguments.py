"""`pauses`: what may be typed after it, and what that asks for."""

from __future__ import annotations

import argparse
from dataclasses import dataclass

from core.cli.options import values as typed
from core.cli.options.shared_options import RESULT_AS_JSON, add_json

_USUAL_DAYS = 7


@dataclass(frozen=True)
class ListPauses:
    """The command `pauses`: when each device was free for training in the last days, and why it was not."""

    days: float
    json: bool


def add_pauses(parser: argparse.ArgumentParser) -> None:
    """Add how far back it looks."""
    parser.add_argument(
        "--days", metavar="N", type=typed.positive_number, default=_USUAL_DAYS, help="how many days back"
    )
    add_json(parser, RESULT_AS_JSON)


def read_pauses(asked: argparse.Namespace) -> ListPauses:
    """What was typed after `pauses`."""
    return ListPauses(asked.days, asked.json)
