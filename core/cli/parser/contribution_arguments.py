"""`contributions`: what may be typed after it, and what that asks for."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from core.cli.parser.options import RESULT_AS_JSON, add_json
from core.records.contribution_report import PERIODS, Period


@dataclass(frozen=True)
class ListContributions:
    """The command `contributions`: what this computer has given to runs, and what it cost."""

    period: Period
    csv: Path | None
    json: bool


def add_contributions(parser: argparse.ArgumentParser) -> None:
    """Add the period and the file to the parser of `contributions`."""
    parser.add_argument("--by", choices=PERIODS, default="month", help="a line for each (default: month)")
    parser.add_argument("--csv", metavar="FILE", type=Path, help="write the table to a new file as CSV")
    add_json(parser, RESULT_AS_JSON)


def read_contributions(asked: argparse.Namespace) -> ListContributions:
    """The command that was typed."""
    return ListContributions(asked.by, asked.csv, asked.json)
