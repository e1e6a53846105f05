"""`contributions` and `receipts`: what may be typed after them, and what that asks for."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.cli.options import values as typed
from core.cli.options.shared_options import RESULT_AS_JSON, add_json
from core.records.contribution_report import PERIODS, Period


@dataclass(frozen=True)
class ListContributions:
    """The command `contributions`: what this computer has given to runs, and what it cost."""

    period: Period
    csv: Path | None
    json: bool


@dataclass(frozen=True)
class ExportReceipts:
    """The command `receipts export`, which writes what was signed for this computer to a file."""

    file: Path
    json: bool


@dataclass(frozen=True)
class VerifyReceipts:
    """The command `receipts verify`; ``key`` is whose they must be, ``None`` for anybody's."""

    file: Path
    key: str | None
    json: bool


ReceiptCommand = ExportReceipts | VerifyReceipts
ContributionCommand = ListContributions | ReceiptCommand


def add_contributions(commands: Any) -> None:
    """Add both commands to the parser's subcommands."""
    listing: argparse.ArgumentParser = commands.add_parser(
        "contributions", help="what you gave, and what it cost", allow_abbrev=False
    )
    listing.add_argument("--by", choices=PERIODS, default="month", help="a line for each (default: month)")
    listing.add_argument("--csv", metavar="FILE", type=Path, help="write the table to a new file as CSV")
    add_json(listing, RESULT_AS_JSON)
    receipts = commands.add_parser("receipts", help="what organisers signed for you", allow_abbrev=False)
    actions = receipts.add_subparsers(dest="action", metavar="export|verify", required=True)
    export = actions.add_parser("export", help="write what organisers signed for you to a file", allow_abbrev=False)
    export.add_argument("file", metavar="FILE", type=Path, help="a new file")
    add_json(export, RESULT_AS_JSON)
    verify = actions.add_parser("verify", help="say which receipts in a file hold", allow_abbrev=False)
    verify.add_argument("file", metavar="FILE", type=Path, help="the file that a volunteer has exported")
    verify.add_argument(
        "--key",
        metavar="KEY",
        type=typed.receipt_key,
        help="refuse receipts for any other key (32 hexadecimal digits)",
    )
    add_json(verify, RESULT_AS_JSON)


def read_contributions(asked: argparse.Namespace) -> ContributionCommand:
    """The command that was typed."""
    if asked.command == "contributions":
        return ListContributions(asked.by, asked.csv, asked.json)
    if asked.action == "export":
        return ExportReceipts(asked.file, asked.json)
    return VerifyReceipts(asked.file, asked.key, asked.json)
