"""`steer`: what may be typed after it, and what that asks for."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Literal, get_args

from core.cli.options.shared_options import RESULT_AS_JSON, add_json

SteerAction = Literal["show", "pause", "resume", "drain", "end", "notice", "minimum-version"]


@dataclass(frozen=True)
class SteerRun:
    """The command `steer`: ``text`` is a reason, a notice or a version; without an action, what holds is shown."""

    run: str
    action: SteerAction
    text: str
    yes: bool
    json: bool


def add_steer(parser: argparse.ArgumentParser) -> None:
    """Add the run, what its peers are asked, and the words to it."""
    parser.add_argument("run", metavar="RUN", help="the id of a run that was published here, or its run file")
    parser.add_argument(
        "action", choices=get_args(SteerAction), nargs="?", default="show", help="what all peers are asked (show)"
    )
    parser.add_argument(
        "text",
        metavar="TEXT",
        nargs="*",
        help="why, for pause, drain and end; the notice; the oldest version of Workerbee that may take part, or none",
    )
    parser.add_argument("--yes", action="store_true", help="end the run without asking")
    add_json(parser, RESULT_AS_JSON)


def read_steer(asked: argparse.Namespace) -> SteerRun:
    """What was typed after `steer`."""
    return SteerRun(asked.run, asked.action, " ".join(asked.text).strip(), asked.yes, asked.json)
