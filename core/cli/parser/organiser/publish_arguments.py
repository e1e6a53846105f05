"""`publish`: what may be typed after it, and what that asks for."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from core.cli.options import values as typed
from core.cli.options.shared_options import Limits, add_computing, add_json, add_limits, read_limits
from core.cli.parser.organiser.fleet_arguments import add_metrics
from core.cli.parser.organiser.published_arguments import add_push
from core.errors import ErrorKind, UserError
from core.protocol.commands import MIRROR_ROUNDS, MOST_MIRROR_ROUNDS
from core.run.multiaddr import Multiaddr


@dataclass(frozen=True)
class PublishRun:
    """The command `publish`, which starts a run as its first peer, or leads one on that is at ``succeed``."""

    file: Path | None
    succeed: str | None
    listen: tuple[Multiaddr, ...]
    announce: tuple[Multiaddr, ...]
    identity: Path | None
    train: bool
    device: str
    threads: int | None
    checkpoint_every_epochs: int
    from_checkpoint: int | None
    mirror: Path | None
    mirror_rounds: int
    push: str | None
    push_every_epochs: int
    metrics: int | None
    public_name: str | None
    limits: Limits
    json: bool


def add_publish(parser: argparse.ArgumentParser) -> None:
    """Add the run file, and how it is published, to the parser of `publish`."""
    _add_run(parser)
    several = {"type": typed.multiaddr, "metavar": "MADDR", "nargs": "+", "action": "extend", "default": []}
    parser.add_argument("--listen", help="where to listen, such as /ip4/0.0.0.0/tcp/31337", **several)  # type: ignore[arg-type]
    parser.add_argument("--announce", help="the address to tell others, where it is another one", **several)  # type: ignore[arg-type]
    parser.add_argument("--identity", metavar="FILE", type=Path, help="your key file; made at first use")
    parser.add_argument(
        "--no-train", action="store_true", help="compute almost nothing; keep the run's state for others"
    )
    parser.add_argument(
        "--checkpoint-every",
        metavar="N",
        type=typed.positive,
        default=10,
        help="epochs from one checkpoint to the next",
    )
    parser.add_argument(
        "--from-checkpoint",
        metavar="K",
        type=typed.positive,
        help="go back to the checkpoint of epoch K; the last five are kept, and the one with the least loss",
    )
    _add_mirror(parser)
    _add_pushes(parser)
    add_metrics(parser)
    add_computing(parser, device="auto")
    add_limits(parser)
    add_json(parser)


def _add_run(parser: argparse.ArgumentParser) -> None:
    """Add the run file, and what stands in its place."""
    parser.add_argument("file", metavar="run.toml", type=Path, nargs="?", help="the run file")
    parser.add_argument(
        "--succeed",
        metavar="ADDRESS",
        help="take over the run at that address, whose organiser is lost and has named a key of this computer; "
        "or go on with one that was taken over here, by its id",
    )


def _add_mirror(parser: argparse.ArgumentParser) -> None:
    """Add the folder for newcomers' base weights, and how often it is written."""
    parser.add_argument(
        "--mirror", metavar="DIR", type=Path, help="the folder for a local-sgd run's base weights, which you upload"
    )
    parser.add_argument(
        "--mirror-every",
        metavar="N",
        type=int,
        choices=range(1, MOST_MIRROR_ROUNDS + 1),
        default=MIRROR_ROUNDS,
        help="rounds from one file of the mirror to the next: 1, 2 or 3; the fewer, the longer a download may take",
    )


def _add_pushes(parser: argparse.ArgumentParser) -> None:
    """Add the hub's repository, and how often the model is pushed there."""
    add_push(parser)
    parser.add_argument(
        "--push-every",
        metavar="N",
        type=typed.positive,
        default=100,
        help="epochs from one push to the next, and at the most from one checkpoint to the next",
    )


def read_publish(asked: argparse.Namespace) -> PublishRun:
    """The command that was typed; raises UserError for a run file and a run to take over, and for neither."""
    if (asked.file is None) is (asked.succeed is None):
        raise UserError(ErrorKind.USAGE, "Name a run file, or with --succeed a run to take over.")
    return PublishRun(
        file=asked.file,
        succeed=asked.succeed,
        listen=tuple(asked.listen),
        announce=tuple(asked.announce),
        identity=asked.identity,
        train=not asked.no_train,
        device=asked.device,
        threads=asked.threads,
        checkpoint_every_epochs=asked.checkpoint_every,
        from_checkpoint=asked.from_checkpoint,
        mirror=asked.mirror,
        mirror_rounds=asked.mirror_every,
        push=asked.push,
        push_every_epochs=asked.push_every,
        metrics=asked.metrics,
        public_name=asked.name,
        limits=read_limits(asked),
        json=asked.json,
    )
