"""`pause`, `resume`, `status` and `quit`: what may be typed after them, and what that asks for."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any

from core.cli.options import values as typed
from core.cli.options.shared_options import RESULT_AS_JSON, add_json
from core.control.messages import Action

_HELP: dict[Action, str] = {
    "pause": "pause the run in the open window",
    "resume": "resume the run in the open window",
    "status": "say what the open window does",
    "quit": "leave the run, and end the open window",
}
ACTIONS = tuple(_HELP)


@dataclass(frozen=True)
class ControlWindow:
    """The commands `pause`, `resume`, `status` and `quit`; ``seconds`` is the length of a pause, if it has one."""

    action: Action
    seconds: float | None
    json: bool


def add_control(commands: Any) -> None:
    """Add the four commands to the parser's subcommands."""
    for action, words in _HELP.items():
        parser: argparse.ArgumentParser = commands.add_parser(action, help=words, allow_abbrev=False)
        if action == "pause":
            parser.add_argument("--for", dest="seconds", metavar="TIME", type=typed.pause, help="such as 1h or 90m")
        add_json(parser, RESULT_AS_JSON)


def read_control(asked: argparse.Namespace) -> ControlWindow:
    """The command that was typed."""
    return ControlWindow(asked.command, getattr(asked, "seconds", None), asked.json)
