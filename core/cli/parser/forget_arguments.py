"""`forget`: what may be typed after it, and what that asks for."""

from __future__ import annotations

import argparse
from dataclasses import dataclass

from core.cli.options.shared_options import RESULT_AS_JSON, add_json


@dataclass(frozen=True)
class ForgetOrganiser:
    """The command `forget`: trust whoever signs that run next."""

    run_id: str
    yes: bool
    json: bool


def add_forget(parser: argparse.ArgumentParser) -> None:
    """Add the run's id and the answer to the question that follows to the parser of `forget`."""
    parser.add_argument("run_id", metavar="RUN", help="the id of the run")
    parser.add_argument("--yes", action="store_true", help="forget it without asking")
    add_json(parser, RESULT_AS_JSON)
