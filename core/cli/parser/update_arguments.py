"""`update`: what may be typed after it, and what that asks for."""

from __future__ import annotations

import argparse
from dataclasses import dataclass

from core.cli.options.shared_options import RESULT_AS_JSON, add_json


@dataclass(frozen=True)
class UpdateProgram:
    """The command `update`, which replaces the portable form by a newer version."""

    yes: bool
    json: bool


def add_update(parser: argparse.ArgumentParser) -> None:
    """Add the answer to its question to the parser of `update`."""
    parser.add_argument("--yes", action="store_true", help="install without asking")
    add_json(parser, RESULT_AS_JSON)
