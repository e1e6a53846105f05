"""`engine` and `reset`: what may be typed after them, and what that asks for."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import get_args

from core.engine.file_lists import BuildName


@dataclass(frozen=True)
class ShowEngine:
    """`engine`"""


@dataclass(frozen=True)
class MakeEngine:
    """`engine make`; ``build`` is ``None`` for the one that suits this computer."""

    build: BuildName | None


@dataclass(frozen=True)
class RemoveEngine:
    """`engine remove`"""


@dataclass(frozen=True)
class Reset:
    """`reset`"""

    yes: bool
    identity: bool
    downloads: bool


EngineWish = ShowEngine | MakeEngine | RemoveEngine


def add_engine(parser: argparse.ArgumentParser) -> None:
    """Tell the parser."""
    deeds = parser.add_subparsers(dest="deed", metavar="make|remove")
    make = deeds.add_parser("make", help="download and make it, or make it anew", allow_abbrev=False)
    make.add_argument("--build", choices=get_args(BuildName), help="the one that suits this computer")
    deeds.add_parser("remove", help="delete it", allow_abbrev=False)


def read_engine(asked: argparse.Namespace) -> EngineWish:
    """What it has read."""
    if asked.deed == "make":
        return MakeEngine(asked.build)
    return RemoveEngine() if asked.deed == "remove" else ShowEngine()


def add_reset(parser: argparse.ArgumentParser) -> None:
    """Tell the parser."""
    parser.add_argument("--yes", action="store_true", help="delete without asking")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--identity", action="store_true", help="this computer's keys, too")
    what.add_argument("--downloads", action="store_true", help="downloaded models and data sets only")
