"""`engine` and `reset`: what may be typed after them, and what that asks for."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import get_args

from core.cli.options.shared_options import RESULT_AS_JSON, add_json
from core.engine.builds import BuildName


@dataclass(frozen=True)
class ShowEngine:
    """The command `engine`, which shows what is installed."""

    json: bool


@dataclass(frozen=True)
class MakeEngine:
    """The command `engine make`; ``build`` is ``None`` for the one that suits this computer."""

    build: BuildName | None
    json: bool


@dataclass(frozen=True)
class RemoveEngine:
    """The command `engine remove`, which deletes the engine."""

    json: bool


@dataclass(frozen=True)
class Reset:
    """The command `reset`, which deletes what is kept of a person."""

    yes: bool
    identity: bool
    downloads: bool
    json: bool


EngineCommand = ShowEngine | MakeEngine | RemoveEngine


def add_engine(parser: argparse.ArgumentParser) -> None:
    """Add the actions on the engine to the parser of `engine`."""
    add_json(parser, RESULT_AS_JSON)
    actions = parser.add_subparsers(dest="action", metavar="make|remove")
    make = actions.add_parser("make", help="download and install it, or install it again", allow_abbrev=False)
    make.add_argument(
        "--build", choices=get_args(BuildName), help="the build; by default the one that suits this computer"
    )
    add_json(make, "print the progress and the result, a JSON object a line", is_nested=True)
    remove = actions.add_parser("remove", help="delete it", allow_abbrev=False)
    add_json(remove, RESULT_AS_JSON, is_nested=True)


def read_engine(asked: argparse.Namespace) -> EngineCommand:
    """Return the command that the parser of `engine` has read."""
    if asked.action == "make":
        return MakeEngine(asked.build, asked.json)
    return RemoveEngine(asked.json) if asked.action == "remove" else ShowEngine(asked.json)


def add_reset(parser: argparse.ArgumentParser) -> None:
    """Add what is deleted to the parser of `reset`."""
    parser.add_argument("--yes", action="store_true", help="delete without asking")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--identity", action="store_true", help="this computer's keys, too")
    what.add_argument("--downloads", action="store_true", help="downloaded models and data sets only")
    add_json(parser, RESULT_AS_JSON)
