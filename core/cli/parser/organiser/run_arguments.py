"""What a person may type after ``workerbee run``: write a run file, check one, or change a run while it goes on."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from core.cli.options import values as typed
from core.cli.options.shared_options import RESULT_AS_JSON, add_json
from core.run.round_estimate import HOME_GPU_FLOP_PER_SECOND, Line

DEFAULT_RUN_FILE = Path("run.toml")


@dataclass(frozen=True)
class NewRunFile:
    """The command `run new`, which writes a commented run file."""

    file: Path
    json: bool


@dataclass(frozen=True)
class CheckRunFile:
    """The command `run check`, which looks for mistakes in a run file.

    With a ``line`` it also estimates what that leaves of the computing of GPUs of ``gpu_tflops`` (10**12 FLOP/s).
    """

    file: Path
    line: Line | None
    gpu_tflops: float
    json: bool


@dataclass(frozen=True)
class EditRun:
    """The command `run edit`, which changes the numbers of a run that was published here to those of a run file."""

    run: str
    file: Path
    yes: bool
    json: bool


@dataclass(frozen=True)
class RollBackRun:
    """The command `run rollback`: all peers of a run that was published here go back to its checkpoint of an epoch."""

    run: str
    epoch: int
    yes: bool
    json: bool


def add_run(parser: argparse.ArgumentParser) -> None:
    """Add the actions to the parser of the command."""
    actions = parser.add_subparsers(dest="action", metavar="new|check|edit|rollback", required=True)
    new = actions.add_parser("new", help="write a run file with comments", allow_abbrev=False)
    new.add_argument("file", metavar="FILE", type=Path, nargs="?", default=DEFAULT_RUN_FILE, help="where to write it")
    add_json(new, RESULT_AS_JSON)
    check = actions.add_parser("check", help="say what is wrong in a run file", allow_abbrev=False)
    check.add_argument("file", metavar="FILE", type=Path, help="the run file to check")
    check.add_argument(
        "--line",
        metavar="UP/DOWN",
        type=typed.line,
        help="also print what a volunteer's line of so many Mbit/s, such as 20/100, leaves of its computing",
    )
    check.add_argument(
        "--gpu-tflops",
        metavar="N",
        type=typed.positive_number,
        default=HOME_GPU_FLOP_PER_SECOND / 1e12,
        help="how many TFLOP/s of a volunteer's GPU training uses, for --line (default: 10)",
    )
    add_json(check, RESULT_AS_JSON)
    edit = actions.add_parser("edit", help="change a run's numbers or data while it goes on", allow_abbrev=False)
    edit.add_argument("run", metavar="RUN", help="the id of a run that was published here")
    edit.add_argument("file", metavar="FILE", type=Path, help="its run file, with the numbers and data to come")
    edit.add_argument("--yes", action="store_true", help="change them without asking")
    add_json(edit, RESULT_AS_JSON)
    _add_rollback(actions.add_parser("rollback", help="go back to a checkpoint, all of a run", allow_abbrev=False))


def _add_rollback(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="the id of a run that was published here")
    parser.add_argument(
        "--to", metavar="K", type=typed.positive, required=True, help="the epoch of one of its checkpoints"
    )
    parser.add_argument("--yes", action="store_true", help="go back without asking")
    add_json(parser, RESULT_AS_JSON)


def read_run(asked: argparse.Namespace) -> NewRunFile | CheckRunFile | EditRun | RollBackRun:
    """The action that was typed."""
    if asked.action == "rollback":
        return RollBackRun(asked.run, asked.to, asked.yes, asked.json)
    if asked.action == "edit":
        return EditRun(asked.run, asked.file, asked.yes, asked.json)
    if asked.action == "new":
        return NewRunFile(asked.file, asked.json)
    return CheckRunFile(asked.file, asked.line, asked.gpu_tflops, asked.json)
