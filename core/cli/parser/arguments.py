"""What a person may type, and what it asks for: one frozen value a command."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn, get_args

from core.cli.parser import values as typed
from core.cli.parser.engine_arguments import EngineWish, Reset, add_engine, add_reset, read_engine
from core.cli.parser.stop_conditions import NO_LIMITS, Limits
from core.errors import ErrorKind, UserError
from core.protocol.commands import NetworkMode

DESCRIPTION = "Lend this computer to a training run that many people share, or start one."
DEFAULT_RUN_FILE = Path("run.toml")


@dataclass(frozen=True)
class NewRunFile:
    """`run new`"""

    file: Path


@dataclass(frozen=True)
class CheckRunFile:
    """`run check`"""

    file: Path


@dataclass(frozen=True)
class PublishRun:
    """`publish`"""

    file: Path
    listen: tuple[str, ...]
    announce: tuple[str, ...]
    identity: Path | None
    train: bool
    device: str
    threads: int | None
    checkpoint_every_epochs: int
    public_name: str | None
    limits: Limits
    json: bool


@dataclass(frozen=True)
class JoinRun:
    """`join`; ``address`` is what was pasted, words joined by spaces."""

    address: str
    run_id: str | None = None
    recipe: Path | None = None
    device: str | None = None
    network: NetworkMode | None = None
    threads: int | None = None
    memory_limit_bytes: int | None = None
    public_name: str | None = None
    yes: bool = False
    limits: Limits = NO_LIMITS
    json: bool = False


@dataclass(frozen=True)
class InspectSwarm:
    """`inspect`"""

    address: str
    network: NetworkMode
    device: str | None = None
    threads: int | None = None
    memory_limit_bytes: int | None = None
    dry_run: bool = True
    json: bool = False


@dataclass(frozen=True)
class Demo:
    """`demo`"""

    limits: Limits
    json: bool


@dataclass(frozen=True)
class TrySwarm:
    """`swarm`; ``peers`` with the organiser."""

    file: Path
    peers: int
    device: str
    threads: int | None
    limits: Limits


@dataclass(frozen=True)
class Doctor:
    """`doctor`"""

    json: bool


@dataclass(frozen=True)
class Help:
    """No command at all; ``text`` is what there is."""

    text: str


ParsedCommand = (
    NewRunFile
    | CheckRunFile
    | PublishRun
    | JoinRun
    | InspectSwarm
    | TrySwarm
    | Demo
    | Doctor
    | EngineWish
    | Reset
    | Help
)


def read_arguments(words: list[str], version: str) -> ParsedCommand:
    """What those words ask for; raises ClientError, or SystemExit(0) for --help and --version."""
    parser = _parser(version)
    asked = parser.parse_args(words)
    match asked.command:
        case None:
            return Help(parser.format_help())
        case "run":
            return NewRunFile(asked.file) if asked.deed == "new" else CheckRunFile(asked.file)
        case "publish":
            return _publish(asked)
        case "join":
            return _join(asked)
        case "inspect":
            return _inspect(asked)
        case "swarm":
            return TrySwarm(asked.file, asked.peers, asked.device, asked.threads, _limits(asked))
        case "engine":
            return read_engine(asked)
        case "reset":
            return Reset(asked.yes, asked.identity, asked.downloads)
        case "demo":
            return Demo(_limits(asked), asked.json)
        case _:
            return Doctor(asked.json)


class _Parser(argparse.ArgumentParser):
    """Says mistakes as every other failure is said."""

    def error(self, message: str) -> NoReturn:
        raise UserError(ErrorKind.USAGE, f"{message[:1].upper()}{message[1:]}.")


def _parser(version: str) -> _Parser:
    parser = _Parser(prog="workerbee", description=DESCRIPTION, allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"workerbee {version}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    _add_join(commands.add_parser("join", help="help a run whose address you were given", allow_abbrev=False))
    _add_inspect(commands.add_parser("inspect", help="show the runs of a swarm", allow_abbrev=False))
    _add_publish(commands.add_parser("publish", help="start a run and print its address", allow_abbrev=False))
    _add_run(commands.add_parser("run", help="write or check a run file", allow_abbrev=False))
    _add_swarm(commands.add_parser("swarm", help="try a run file with several peers here", allow_abbrev=False))
    add_engine(commands.add_parser("engine", help="what trains: show, make, remove", allow_abbrev=False))
    add_reset(commands.add_parser("reset", help="delete what is kept of you", allow_abbrev=False))
    demo = commands.add_parser("demo", help="an organiser and a volunteer on this computer", allow_abbrev=False)
    _add_limits(demo)
    _add_json(demo)
    _add_json(commands.add_parser("doctor", help="see whether this computer is in order", allow_abbrev=False))
    return parser


def _add_run(parser: argparse.ArgumentParser) -> None:
    deeds = parser.add_subparsers(dest="deed", metavar="new|check", required=True)
    new = deeds.add_parser("new", help="write a run file with comments", allow_abbrev=False)
    new.add_argument("file", metavar="FILE", type=Path, nargs="?", default=DEFAULT_RUN_FILE)
    check = deeds.add_parser("check", help="say what is wrong in a run file", allow_abbrev=False)
    check.add_argument("file", metavar="FILE", type=Path)


def _add_publish(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="run.toml", type=Path)
    several = {"metavar": "MADDR", "nargs": "+", "action": "extend", "default": []}
    parser.add_argument("--listen", help="where to listen, such as /ip4/0.0.0.0/tcp/31337", **several)  # type: ignore[arg-type]
    parser.add_argument("--announce", help="what to tell others, if it differs", **several)  # type: ignore[arg-type]
    parser.add_argument("--identity", metavar="FILE", type=Path, help="your key; made at first use")
    parser.add_argument("--no-train", action="store_true", help="only keep the run's state for others")
    parser.add_argument("--checkpoint-every", metavar="N", type=typed.positive, default=10, help="in epochs")
    _add_computing(parser, device="auto")
    _add_limits(parser)
    _add_json(parser)


def _add_swarm(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="run.toml", type=Path)
    parser.add_argument("--peers", metavar="N", type=typed.peers, default=4, help="with the organiser; 4 by default")
    parser.add_argument("--device", metavar="auto|cpu|cuda:N", default="auto", help="what computes")
    parser.add_argument("--threads", metavar="N", type=typed.positive, help="of each peer; its share of the cores")
    _add_limits(parser)


def _add_join(parser: argparse.ArgumentParser) -> None:
    _add_address(parser)
    parser.add_argument("--run", metavar="ID", help="which run, where the swarm has several")
    parser.add_argument("--recipe", metavar="FILE", type=Path, help="a run file, where the swarm publishes none")
    _add_computing(parser, device=None)
    _add_memory(parser)
    _add_network(parser, mode=None)
    parser.add_argument("--yes", action="store_true", help="start without asking")
    _add_limits(parser)
    _add_json(parser)


def _add_inspect(parser: argparse.ArgumentParser) -> None:
    _add_address(parser)
    _add_device(parser, device=None)
    _add_memory(parser)
    parser.add_argument("--no-dry-run", action="store_true", help="only look, measure nothing")
    _add_network(parser, mode="auto")
    _add_json(parser)


def _add_address(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("address", metavar="ADDRESS", nargs="*", help="what the organiser posted")
    copied = {"dest": "copied", "nargs": "+", "action": "extend", "default": [], "help": argparse.SUPPRESS}
    parser.add_argument("--initial_peers", "--initial-peers", **copied)  # type: ignore[arg-type]


def _add_device(parser: argparse.ArgumentParser, device: str | None) -> None:
    parser.add_argument("--device", metavar="auto|cpu|cuda:N", default=device, help="what computes")
    parser.add_argument("--threads", metavar="N", type=typed.positive, help="how many CPU threads at most")


def _add_memory(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--memory", metavar="SIZE", type=typed.size, help="of the device, at most; such as 6GB")


def _add_computing(parser: argparse.ArgumentParser, device: str | None) -> None:
    _add_device(parser, device)
    parser.add_argument("--name", metavar="NAME", type=typed.name, help="what others may call this computer")


def _add_network(parser: argparse.ArgumentParser, mode: NetworkMode | None) -> None:
    modes = get_args(NetworkMode)
    parser.add_argument("--network", choices=modes, default=mode, help="client: outgoing connections only")


def _add_limits(parser: argparse.ArgumentParser) -> None:
    limits = parser.add_argument_group("when to leave").add_mutually_exclusive_group()
    limits.add_argument("--epochs", metavar="N", type=typed.positive, help="after so many epochs")
    limits.add_argument("--samples", metavar="N", type=typed.positive, help="after so many samples of your own")
    limits.add_argument("--for", metavar="TIME", type=typed.seconds, dest="seconds", help="such as 10m or 1h30m")


def _add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print the events, a JSON object a line")


def _publish(asked: argparse.Namespace) -> PublishRun:
    return PublishRun(
        file=asked.file,
        listen=tuple(asked.listen),
        announce=tuple(asked.announce),
        identity=asked.identity,
        train=not asked.no_train,
        device=asked.device,
        threads=asked.threads,
        checkpoint_every_epochs=asked.checkpoint_every,
        public_name=asked.name,
        limits=_limits(asked),
        json=asked.json,
    )


def _join(asked: argparse.Namespace) -> JoinRun:
    return JoinRun(
        address=_address(asked),
        run_id=asked.run,
        recipe=asked.recipe,
        device=asked.device,
        network=asked.network,
        threads=asked.threads,
        memory_limit_bytes=asked.memory,
        public_name=asked.name,
        yes=asked.yes,
        limits=_limits(asked),
        json=asked.json,
    )


def _inspect(asked: argparse.Namespace) -> InspectSwarm:
    return InspectSwarm(
        address=_address(asked),
        network=asked.network,
        device=asked.device,
        threads=asked.threads,
        memory_limit_bytes=asked.memory,
        dry_run=not asked.no_dry_run,
        json=asked.json,
    )


def _limits(asked: argparse.Namespace) -> Limits:
    return Limits(asked.epochs, asked.samples, asked.seconds)


def _address(asked: argparse.Namespace) -> str:
    words = [*asked.address, *asked.copied]
    if not words:
        raise UserError(ErrorKind.USAGE, "The following arguments are required: ADDRESS.")
    return " ".join(words)
