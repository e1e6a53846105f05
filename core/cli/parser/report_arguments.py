"""`report`: what may be typed after it, and what that asks for."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from core.problem_report.file import FILE_NAME


@dataclass(frozen=True)
class MakeReport:
    """The command `report`: show what would help others to find a problem, and save it; nothing is sent."""

    file: Path
    yes: bool


def add_report(parser: argparse.ArgumentParser) -> None:
    """Add the file, and the answer to the question that follows."""
    parser.add_argument(
        "--to", dest="file", metavar="FILE", type=Path, default=Path(FILE_NAME), help="where to save it"
    )
    parser.add_argument("--yes", action="store_true", help="save it without showing it and asking")


def read_report(asked: argparse.Namespace) -> MakeReport:
    """What was typed after `report`."""
    return MakeReport(asked.file, asked.yes)
