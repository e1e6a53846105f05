"""What a person may type, and what it asks for: one frozen value a command."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn, get_args

from core.cli.options import values as typed
from core.cli.options.shared_options import (
    NO_LIMITS,
    NOTHING_FOLLOWS,
    Limits,
    Order,
    add_address,
    add_computing,
    add_device,
    add_disclosure,
    add_invitation,
    add_json,
    add_limits,
    add_line,
    add_line_rates,
    add_memory,
    add_network,
    add_order,
    add_role,
    read_address,
    read_invited_address,
    read_limits,
    read_order,
)
from core.cli.parser.contribution_arguments import ContributionCommand, add_contributions, read_contributions
from core.cli.parser.control_arguments import ACTIONS, ControlWindow, add_control, read_control
from core.cli.parser.engine_arguments import EngineCommand, Reset, add_engine, add_reset, read_engine
from core.cli.parser.forget_arguments import ForgetOrganiser, add_forget
from core.cli.parser.help_arguments import ShowDocument, add_help
from core.cli.parser.organiser.catalogue_arguments import CatalogueCommand, add_catalogue, read_catalogue
from core.cli.parser.organiser.fleet_arguments import ReplayFleet, WatchFleet, add_fleet, read_fleet
from core.cli.parser.organiser.peer_arguments import BlockPeer, ListPeers, add_block, add_peers, read_block, read_peers
from core.cli.parser.organiser.publish_arguments import PublishRun, add_publish, read_publish
from core.cli.parser.organiser.published_arguments import (
    ExportRun,
    ListRuns,
    add_export,
    add_runs,
    read_export,
    read_runs,
)
from core.cli.parser.organiser.run_arguments import CheckRunFile, EditRun, NewRunFile, RollBackRun, add_run, read_run
from core.cli.parser.organiser.steer_arguments import SteerRun, add_steer, read_steer
from core.cli.parser.organiser.ticket_arguments import TicketCommand, add_ticket, read_ticket
from core.cli.parser.pause_arguments import ListPauses, add_pauses, read_pauses
from core.cli.parser.report_arguments import MakeReport, add_report, read_report
from core.cli.parser.service_arguments import ServiceCommand, add_service, read_service
from core.cli.parser.update_arguments import UpdateProgram, add_update
from core.errors import ErrorKind, UserError
from core.protocol.commands import NetworkMode
from core.run.round_estimate import Line
from core.run.spec.collaboration import Mode
from core.run.spec.experts import ExpertRole

DESCRIPTION = "Lend this computer to a training run that many people share, or start one."


@dataclass(frozen=True)
class JoinRun:
    """The command `join`, which helps a run; ``address`` is the pasted text, words joined by spaces."""

    address: str = field(repr=False)  # an invitation may be in it
    run_id: str | None = None
    recipe: Path | None = None
    device: str | None = None
    network: NetworkMode | None = None
    threads: int | None = None
    memory_limit_bytes: int | None = None
    line: Line | None = None
    upload_rate: int | None = None
    download_rate: int | None = None
    public_name: str | None = None
    may_be_named: bool | None = None
    country: str | None = None
    role: ExpertRole | None = None
    hosted_experts: int | None = None
    train: bool = True
    always: bool = False
    yes: bool = False
    limits: Limits = NO_LIMITS
    order: Order = NOTHING_FOLLOWS
    json: bool = False


@dataclass(frozen=True)
class InspectSwarm:
    """The command `inspect`, which shows the runs of a swarm."""

    address: str
    network: NetworkMode
    device: str | None = None
    threads: int | None = None
    memory_limit_bytes: int | None = None
    line: Line | None = None
    dry_run: bool = True
    json: bool = False


@dataclass(frozen=True)
class Demo:
    """The command `demo`, which trains two peers on this computer."""

    limits: Limits
    mode: Mode
    json: bool


@dataclass(frozen=True)
class TrySwarm:
    """The command `swarm`, which tries a run file with that many peers, the organiser included."""

    file: Path
    peers: int
    device: str
    threads: int | None
    limits: Limits
    json: bool


@dataclass(frozen=True)
class Doctor:
    """The command `doctor`, which examines this computer."""

    json: bool


@dataclass(frozen=True)
class Help:
    """No command was typed; ``text`` is the list of commands."""

    text: str


ParsedCommand = (
    NewRunFile
    | CheckRunFile
    | EditRun
    | RollBackRun
    | PublishRun
    | ListRuns
    | CatalogueCommand
    | ExportRun
    | JoinRun
    | InspectSwarm
    | TrySwarm
    | Demo
    | Doctor
    | ControlWindow
    | EngineCommand
    | UpdateProgram
    | Reset
    | ForgetOrganiser
    | ListPeers
    | WatchFleet
    | ReplayFleet
    | BlockPeer
    | SteerRun
    | TicketCommand
    | MakeReport
    | ListPauses
    | ContributionCommand
    | ShowDocument
    | ServiceCommand
    | Help
)


def read_arguments(words: list[str], version: str) -> ParsedCommand:
    """Return the command that was typed; raises UserError, or SystemExit(0) for --help and --version."""
    parser = command_parser(version)
    asked = parser.parse_args(words)
    return Help(parser.format_help()) if asked.command is None else _READERS[asked.command](asked)


class _Parser(argparse.ArgumentParser):
    """Raises mistakes of usage as the errors that every other failure is."""

    def error(self, message: str) -> NoReturn:
        raise UserError(ErrorKind.USAGE, f"{message[:1].upper()}{message[1:]}.")


def command_parser(version: str) -> argparse.ArgumentParser:
    """Return the parser of the whole command line, with a subparser for each command."""
    parser = _Parser(prog="workerbee", description=DESCRIPTION, allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"workerbee {version}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    _add_join(commands.add_parser("join", help="help a run whose address you were given", allow_abbrev=False))
    _add_inspect(commands.add_parser("inspect", help="show the runs of a swarm", allow_abbrev=False))
    add_peers(commands.add_parser("peers", help="show the peers of a run, or its suspects", allow_abbrev=False))
    add_fleet(commands.add_parser("fleet", help="watch the peers of a run; a status page", allow_abbrev=False))
    add_block(commands.add_parser("block", help="block a peer from a run published here", allow_abbrev=False))
    add_steer(commands.add_parser("steer", help="pause, resume or end a run for all", allow_abbrev=False))
    add_ticket(commands.add_parser("ticket", help="invite volunteers to a closed run", allow_abbrev=False))
    add_publish(commands.add_parser("publish", help="start a run and print its address", allow_abbrev=False))
    add_runs(commands.add_parser("runs", help="show the runs that were published here", allow_abbrev=False))
    add_catalogue(commands.add_parser("catalogue", help="publish a list of runs; show one", allow_abbrev=False))
    add_export(commands.add_parser("export", help="write a run's model for other programs", allow_abbrev=False))
    add_run(commands.add_parser("run", help="write, check or change a run file", allow_abbrev=False))
    _add_swarm(commands.add_parser("swarm", help="try a run file with several peers here", allow_abbrev=False))
    add_service(commands.add_parser("service", help="help a run without a desktop", allow_abbrev=False))
    add_control(commands)
    add_engine(commands.add_parser("engine", help="what trains: show, make, remove", allow_abbrev=False))
    add_update(commands.add_parser("update", help="update what a .run file has installed", allow_abbrev=False))
    add_reset(commands.add_parser("reset", help="delete what is kept of you", allow_abbrev=False))
    add_forget(commands.add_parser("forget", help="forget a run's key that has changed", allow_abbrev=False))
    add_contributions(commands)
    add_pauses(commands.add_parser("pauses", help="when training paused, and why", allow_abbrev=False))
    add_help(commands.add_parser("help", help="print a document, such as the user guide", allow_abbrev=False))
    _add_demo(commands.add_parser("demo", help="an organiser and a volunteer on this computer", allow_abbrev=False))
    add_report(commands.add_parser("report", help="save what helps to find a problem", allow_abbrev=False))
    add_json(commands.add_parser("doctor", help="see whether this computer is in order", allow_abbrev=False))
    return parser


def _add_swarm(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="run.toml", type=Path, help="the run file")
    parser.add_argument(
        "--peers", metavar="N", type=typed.peers, default=4, help="the number of peers, the organiser included"
    )
    parser.add_argument("--device", metavar="auto|cpu|cuda:N", default="auto", help="the device that computes")
    parser.add_argument(
        "--threads",
        metavar="N",
        type=typed.positive,
        help="CPU threads of each peer; by default its share of the cores",
    )
    add_limits(parser)
    add_json(parser, "print the events, a JSON object a line, with the name of the peer")


def _add_join(parser: argparse.ArgumentParser) -> None:
    add_address(parser)
    add_invitation(parser)
    parser.add_argument("--run", metavar="ID", help="the run to help, where the swarm has several")
    parser.add_argument("--recipe", metavar="FILE", type=Path, help="a run file, where the swarm publishes none")
    add_computing(parser, device=None)
    add_disclosure(parser)
    add_memory(parser)
    add_line(parser)
    add_line_rates(parser)
    add_network(parser, mode=None)
    add_role(parser)
    parser.add_argument("--always", action="store_true", help="train whatever the settings' rules ask for")
    parser.add_argument(
        "--yes",
        action="store_true",
        help="agree beforehand to what is printed first; a run that is changed later then ends with an error",
    )
    add_order(parser)
    add_limits(parser)
    add_json(parser)


def _add_demo(parser: argparse.ArgumentParser) -> None:
    add_limits(parser)
    parser.add_argument(
        "--mode", choices=get_args(Mode), default="gradients", help="what the two average (default: gradients)"
    )
    add_json(parser)


def _add_inspect(parser: argparse.ArgumentParser) -> None:
    add_address(parser)
    add_device(parser, device=None)
    add_memory(parser)
    add_line(parser)
    parser.add_argument("--no-dry-run", action="store_true", help="leave the dry run out")
    add_network(parser, mode="auto")
    add_json(parser)


def _join(asked: argparse.Namespace) -> JoinRun:
    return JoinRun(
        address=read_invited_address(asked),
        run_id=asked.run,
        recipe=asked.recipe,
        device=asked.device,
        network=asked.network,
        threads=asked.threads,
        memory_limit_bytes=asked.memory,
        line=asked.line,
        upload_rate=asked.upload_rate,
        download_rate=asked.download_rate,
        public_name=asked.name,
        may_be_named=asked.credit,
        country=asked.country,
        role=asked.role,
        hosted_experts=asked.experts,
        train=not asked.no_train,
        always=asked.always,
        yes=asked.yes,
        limits=read_limits(asked),
        order=read_order(asked),
        json=asked.json,
    )


def _inspect(asked: argparse.Namespace) -> InspectSwarm:
    return InspectSwarm(
        address=read_address(asked),
        network=asked.network,
        device=asked.device,
        threads=asked.threads,
        memory_limit_bytes=asked.memory,
        line=asked.line,
        dry_run=not asked.no_dry_run,
        json=asked.json,
    )


_READERS: dict[str, Callable[[argparse.Namespace], ParsedCommand]] = {
    "run": read_run,
    "publish": read_publish,
    "runs": read_runs,
    "catalogue": read_catalogue,
    "export": read_export,
    "join": _join,
    "inspect": _inspect,
    "peers": read_peers,
    "fleet": read_fleet,
    "block": read_block,
    "steer": read_steer,
    "ticket": read_ticket,
    "report": read_report,
    "pauses": read_pauses,
    **dict.fromkeys(("contributions", "receipts"), read_contributions),
    "swarm": lambda asked: TrySwarm(
        asked.file, asked.peers, asked.device, asked.threads, read_limits(asked), asked.json
    ),
    "engine": read_engine,
    **dict.fromkeys(ACTIONS, read_control),
    "service": read_service,
    "update": lambda asked: UpdateProgram(asked.yes, asked.json),
    "reset": lambda asked: Reset(asked.yes, asked.identity, asked.downloads, asked.json),
    "forget": lambda asked: ForgetOrganiser(asked.run_id, asked.yes, asked.json),
    "help": lambda asked: ShowDocument(asked.topic, asked.json),
    "demo": lambda asked: Demo(read_limits(asked), asked.mode, asked.json),
    "doctor": lambda asked: Doctor(asked.json),
}
