"""`ticket`: what may be typed after it, and what that asks for."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from core.cli.options import values as typed
from core.cli.options.shared_options import RESULT_AS_JSON, add_json
from core.errors import ErrorKind, UserError


@dataclass(frozen=True)
class ShowKey:
    """The command `ticket` alone: the key of this computer, which an organiser makes a ticket for."""

    json: bool


@dataclass(frozen=True)
class MakeTicket:
    """The command `ticket RUN`: a ticket for a ``key``, or an invitation that so many may use.

    ``run`` is a run's id, its file or its folder; ``until`` is in seconds since 1970.
    """

    run: str
    key: str | None
    uses: int | None
    until: float
    to: Path | None
    identity: Path | None
    json: bool


TicketCommand = ShowKey | MakeTicket


def add_ticket(parser: argparse.ArgumentParser) -> None:
    """Add the run, and for whom and until when it is."""
    parser.add_argument("run", metavar="RUN", nargs="?", help="the closed run's id, its run file, or its folder")
    parser.add_argument("key", metavar="KEY", nargs="?", help="the volunteer's key, which `workerbee ticket` shows")
    parser.add_argument("--uses", metavar="N", type=typed.positive, help="an invitation that N computers may use")
    parser.add_argument(
        "--until", metavar="DATE", type=typed.deadline, help='the end, such as 2026-12-31, "2026-12-31 18:00" or 30d'
    )
    parser.add_argument("--to", metavar="FILE", type=Path, help="write the link there, for you alone to read")
    parser.add_argument("--identity", metavar="FILE", type=Path, help="your key file, if you publish with another")
    add_json(parser, RESULT_AS_JSON)


def read_ticket(asked: argparse.Namespace) -> TicketCommand:
    """What was typed after `ticket`; raises UserError for what does not go together."""
    if asked.run is None:
        if asked.uses or asked.until or asked.to or asked.identity:
            raise UserError(ErrorKind.USAGE, "Name the run: workerbee ticket RUN KEY --until DATE.")
        return ShowKey(asked.json)
    if (asked.key is None) == (asked.uses is None):
        raise UserError(ErrorKind.USAGE, "Name either the volunteer's KEY, or how many may use it with --uses N.")
    if asked.until is None:
        raise UserError(ErrorKind.USAGE, "Say when it ends with --until DATE.")
    return MakeTicket(asked.run, asked.key, asked.uses, asked.until, asked.to, asked.identity, asked.json)
