"""`runs` and `export`: what may be typed after them, and what that asks for."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from core.cli.options import values as typed
from core.cli.options.shared_options import EVENTS_AS_JSON, RESULT_AS_JSON, add_json
from core.protocol.commands import WeightType


@dataclass(frozen=True)
class ListRuns:
    """The command `runs`, which shows what was published from this computer."""

    json: bool


@dataclass(frozen=True)
class ExportRun:
    """The command `export`; ``run`` is a run's id, its file or its folder, ``epoch`` that of one of its checkpoints."""

    run: str
    folder: Path | None
    push: str | None
    epoch: int | None
    merge: bool
    dtype: WeightType
    json: bool


def add_runs(parser: argparse.ArgumentParser) -> None:
    """Add the form of the answer to the parser of `runs`."""
    add_json(parser, RESULT_AS_JSON)


def read_runs(asked: argparse.Namespace) -> ListRuns:
    """The command that was typed."""
    return ListRuns(asked.json)


def add_export(parser: argparse.ArgumentParser) -> None:
    """Add the run, its checkpoint and the folder to the parser of `export`."""
    parser.add_argument("run", metavar="RUN", help="the run's id, its run file, or its folder")
    parser.add_argument("--to", metavar="DIR", type=Path, help="the folder to make")
    add_push(parser)
    parser.add_argument(
        "--checkpoint", metavar="K", type=typed.positive, help="the checkpoint of epoch K; by default the newest"
    )
    parser.add_argument("--merge", action="store_true", help="add trained adapters to the base model")
    parser.add_argument(
        "--dtype", choices=get_args(WeightType), default="fp32", help="the number format of the weights (default: fp32)"
    )
    add_json(parser, EVENTS_AS_JSON)


def add_push(parser: argparse.ArgumentParser) -> None:
    """Add the repository of a hub to which the model is pushed."""
    parser.add_argument(
        "--push", metavar="hub://OWNER/NAME", type=typed.hub_repository, help="the hub's model repository to push to"
    )


def read_export(asked: argparse.Namespace) -> ExportRun:
    """The command that was typed."""
    return ExportRun(asked.run, asked.to, asked.push, asked.checkpoint, asked.merge, asked.dtype, asked.json)
