"""`catalogue`: what may be typed after it, and what that asks for."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from core.cli.options import values as typed
from core.cli.options.shared_options import RESULT_AS_JSON, add_json, add_network
from core.protocol.commands import NetworkMode

DEFAULT_DAYS = 30


@dataclass(frozen=True)
class SignCatalogue:
    """The command `catalogue sign`: sign the list in that file, as it is now, for so many days.

    Without a ``title`` it keeps its own; ``key`` is the file of the key, by default the one in the data folder.
    """

    file: Path
    title: str | None
    days: int
    key: Path | None
    json: bool


@dataclass(frozen=True)
class AddToCatalogue:
    """The command `catalogue add`: put these runs on the list in that file, and sign it.

    ``runs`` are addresses, or runs that were published from this computer: their ids, run files or folders.
    """

    signing: SignCatalogue
    runs: tuple[str, ...]
    network: NetworkMode


@dataclass(frozen=True)
class ShowCatalogue:
    """The command `catalogue show`: who has signed a list, and what is on it."""

    source: str
    json: bool


CatalogueCommand = AddToCatalogue | SignCatalogue | ShowCatalogue


def add_catalogue(parser: argparse.ArgumentParser) -> None:
    """Add the three actions to the parser of the command."""
    actions = parser.add_subparsers(dest="action", metavar="add|sign|show", required=True)
    add = actions.add_parser("add", help="put runs on a list, and sign it", allow_abbrev=False)
    add.add_argument("file", metavar="FILE", type=Path, help="the list, which is made if it is not there")
    add.add_argument(
        "runs",
        metavar="RUN",
        nargs="+",
        help="the address of a run (in quotes where it is several), or the id, file or folder of one published here",
    )
    _add_signing(add)
    add_network(add, mode="client")
    add_json(add, RESULT_AS_JSON)
    sign = actions.add_parser(
        "sign", help="sign a list that you have changed, or whose time is over", allow_abbrev=False
    )
    sign.add_argument("file", metavar="FILE", type=Path, help="the list")
    _add_signing(sign)
    add_json(sign, RESULT_AS_JSON)
    show = actions.add_parser("show", help="show a list, and whether its runs fit here", allow_abbrev=False)
    show.add_argument("source", metavar="ADDRESS|FILE", help="the https address of the list, or its file")
    add_json(show, RESULT_AS_JSON)


def _add_signing(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--title", metavar="TEXT", help="what the list is called; by default as before")
    parser.add_argument(
        "--days",
        metavar="N",
        type=typed.days,
        default=DEFAULT_DAYS,
        help=f"for how many days it is valid (default: {DEFAULT_DAYS})",
    )
    parser.add_argument(
        "--key", metavar="FILE", type=Path, help="the key that signs it, made if it is not there; by default your own"
    )


def read_catalogue(asked: argparse.Namespace) -> CatalogueCommand:
    """The action that was typed."""
    if asked.action == "show":
        return ShowCatalogue(asked.source, asked.json)
    signing = SignCatalogue(asked.file, asked.title, asked.days, asked.key, asked.json)
    return signing if asked.action == "sign" else AddToCatalogue(signing, tuple(asked.runs), asked.network)
