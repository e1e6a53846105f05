"""From the typed words to the exit code of the process: the outermost frame of the command line."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from typing import TextIO, assert_never

from core.cli.folder_preparation import wait_for_folders
from core.cli.output.error_report import log_unexpected_error, print_error
from core.cli.output.json_lines import print_failure
from core.cli.parser.arguments import (
    Demo,
    Doctor,
    Help,
    InspectSwarm,
    JoinRun,
    ParsedCommand,
    TrySwarm,
    read_arguments,
)
from core.cli.parser.contribution_arguments import (
    ContributionCommand,
    ExportReceipts,
    ListContributions,
    VerifyReceipts,
)
from core.cli.parser.control_arguments import ControlWindow
from core.cli.parser.engine_arguments import EngineCommand, MakeEngine, RemoveEngine, Reset, ShowEngine
from core.cli.parser.forget_arguments import ForgetOrganiser
from core.cli.parser.help_arguments import ShowDocument
from core.cli.parser.organiser.catalogue_arguments import AddToCatalogue, CatalogueCommand, ShowCatalogue, SignCatalogue
from core.cli.parser.organiser.fleet_arguments import ReplayFleet, WatchFleet
from core.cli.parser.organiser.peer_arguments import BlockPeer, ListPeers
from core.cli.parser.organiser.publish_arguments import PublishRun
from core.cli.parser.organiser.published_arguments import ExportRun, ListRuns
from core.cli.parser.organiser.run_arguments import CheckRunFile, EditRun, NewRunFile, RollBackRun
from core.cli.parser.organiser.steer_arguments import SteerRun
from core.cli.parser.organiser.ticket_arguments import MakeTicket, ShowKey
from core.cli.parser.pause_arguments import ListPauses
from core.cli.parser.report_arguments import MakeReport
from core.cli.parser.service_arguments import InstallService, RemoveService, RunService, ShowService
from core.cli.parser.update_arguments import UpdateProgram
from core.cli.runner.cancellation import INTERRUPTED_CODE, Stop, Stopped
from core.cli.runner.context import CommandContext, EventLoop
from core.cli.runner.worker_session import SessionError
from core.errors import ErrorKind, UserError
from core.files.atomic import DISK_FULL_CODES
from core.files.folders import Folders
from core.files.logs import keep_logs_off_the_terminal, set_up_logging
from core.version import own_version

_BROKEN_PIPE_CODE = 141
_InSwarm = (
    PublishRun
    | JoinRun
    | InspectSwarm
    | ListPeers
    | WatchFleet
    | ReplayFleet
    | TrySwarm
    | Demo
    | InstallService
    | RunService
)


def run_command(words: list[str], worker_command: Sequence[str] | None = None) -> int:
    """Run the typed command and return its exit code; no exception leaves this function."""
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        _replace_unencodable_characters(stream)
    keep_logs_off_the_terminal()
    folders = Folders.default()
    wants_json = "--json" in words
    try:
        code = _run(read_arguments(words, own_version()), folders, worker_command)
        sys.stdout.flush()
        return code
    except SystemExit as done:  # argparse has printed its help or the version
        return int(done.code or 0)
    except Stopped as stopped:
        return stopped.exit_code
    except KeyboardInterrupt:  # before, after, or without `Stop.by_signals`
        return INTERRUPTED_CODE
    except UserError as error:
        return _fail(error, wants_json)
    except OSError as error:
        if error.errno in DISK_FULL_CODES:  # that of our output, too
            return _fail(UserError(ErrorKind.DISK_FULL, f"{error.strerror}."), wants_json)
        if error.errno not in (errno.EPIPE, errno.EIO):  # whoever read our output has gone
            return _fail(log_unexpected_error(folders), wants_json)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return _BROKEN_PIPE_CODE
    except Exception:
        return _fail(log_unexpected_error(folders), wants_json)


def _fail(error: UserError, wants_json: bool) -> int:
    try:
        if wants_json and not isinstance(error, SessionError):
            print_failure(error)
        print_error(error)
    except OSError:
        pass  # nobody reads stdout or stderr any more
    return error.problem.exit_code


def _run(command: ParsedCommand, folders: Folders, worker_command: Sequence[str] | None) -> int:
    match command:
        case Help():
            print(command.text, end="")
            return 0
        case ShowDocument():
            from core.cli.commands.help import show_document

            return show_document(command)
        case NewRunFile() | CheckRunFile():
            return _run_file(command)
        case ShowEngine() | MakeEngine() | RemoveEngine() | UpdateProgram():
            return _installation(command, folders)
        case ControlWindow():
            from core.cli.commands.control import control

            return control(command, folders)
        case Reset() | ForgetOrganiser() | BlockPeer() | ListRuns() | ListPauses():
            return _with_files(command, folders)
        case SteerRun() | EditRun() | RollBackRun() | ShowKey() | MakeTicket():
            return _of_organiser(command, folders)
        case ListContributions() | ExportReceipts() | VerifyReceipts():
            return _with_contributions(command, folders)
        case ShowService() | RemoveService():
            return _service(command, folders)
        case _:
            return _with_context(command, folders, worker_command)


def _with_files(command: Reset | ForgetOrganiser | BlockPeer | ListRuns | ListPauses, folders: Folders) -> int:
    """Run a command that reads or changes files of ours, and needs no worker."""
    match command:
        case Reset():
            from core.cli.commands.reset import reset

            return reset(command, folders)
        case ForgetOrganiser():
            from core.cli.commands.forget import forget

            return forget(command, folders)
        case BlockPeer():
            from core.cli.commands.organiser.block import block

            return block(command, folders)
        case ListRuns():
            from core.cli.commands.organiser.runs import runs

            return runs(command, folders)
        case ListPauses():
            from core.cli.commands.pauses import list_pauses

            return list_pauses(command, folders)


def _of_organiser(command: SteerRun | EditRun | RollBackRun | ShowKey | MakeTicket, folders: Folders) -> int:
    """Sign what a published run's peers obey, or whom it lets in."""
    match command:
        case SteerRun():
            from core.cli.commands.organiser.steer import steer

            return steer(command, folders)
        case EditRun():
            from core.cli.commands.organiser.edit_run import edit_run

            return edit_run(command, folders)
        case RollBackRun():
            from core.cli.commands.organiser.roll_back import roll_back

            return roll_back(command, folders)
        case ShowKey() | MakeTicket():
            from core.cli.commands.organiser.ticket import ticket

            return ticket(command, folders)


def _with_contributions(command: ContributionCommand, folders: Folders) -> int:
    if isinstance(command, ListContributions):
        from core.cli.commands.contributions.table import list_contributions

        return list_contributions(command, folders)
    from core.cli.commands.contributions.receipts import receipts

    return receipts(command, folders)


def _run_file(command: NewRunFile | CheckRunFile) -> int:
    from core.cli.commands.organiser.run_file import check_run_file, new_run_file

    return new_run_file(command) if isinstance(command, NewRunFile) else check_run_file(command)


def _service(command: ShowService | RemoveService, folders: Folders) -> int:
    from core.cli.service.state import remove_service, show_service

    return show_service(command, folders) if isinstance(command, ShowService) else remove_service(command, folders)


def _installation(command: EngineCommand | UpdateProgram, folders: Folders) -> int:
    folders.prepare()
    set_up_logging(folders.logs)
    if isinstance(command, UpdateProgram):
        from core.cli.commands.installation.update import update

        return update(command, folders)
    from core.cli.commands.installation.engine import engine

    return engine(command, folders)


def _with_context(
    command: _InSwarm | CatalogueCommand | ExportRun | Doctor | MakeReport,
    folders: Folders,
    worker_command: Sequence[str] | None,
) -> int:
    """Run a command that starts workers; each imports what only it needs."""
    loop = EventLoop()
    stop = Stop(wake=lambda: loop.post(lambda: None))
    context = CommandContext(folders, loop, stop, worker_command)
    with stop.by_signals():
        if isinstance(command, Doctor):
            from core.cli.commands.doctor import doctor

            return doctor(command, context)
        if isinstance(command, JoinRun | RunService):
            wait_for_folders(context, wants_json=command.json)
        else:
            folders.prepare()
            set_up_logging(folders.logs)
        if isinstance(command, MakeReport):
            from core.cli.commands.report import report

            return report(command, context)
        if isinstance(command, AddToCatalogue | SignCatalogue | ShowCatalogue):
            from core.cli.commands.organiser.catalogue import catalogue

            return catalogue(command, context)
        if isinstance(command, ExportRun):
            from core.cli.commands.organiser.export import export

            return export(command, context)
        return _in_swarm(command, context)


def _service_in_swarm(command: InstallService | RunService, context: CommandContext) -> int:
    from core.cli.service.install import install_service
    from core.cli.service.run import run_service

    return run_service(command, context) if isinstance(command, RunService) else install_service(command, context)


def _in_swarm(command: _InSwarm, context: CommandContext) -> int:
    match command:
        case InstallService() | RunService():
            return _service_in_swarm(command, context)
        case JoinRun():
            from core.cli.commands.join_order import join_runs

            return join_runs(command, context)
        case PublishRun():
            from core.cli.commands.organiser.publish import publish

            return publish(command, context)
        case InspectSwarm():
            from core.cli.commands.inspect import inspect

            return inspect(command, context)
        case ListPeers() | WatchFleet() | ReplayFleet():
            return _fleet(command, context)
        case TrySwarm():
            from core.cli.commands.swarm import swarm

            return swarm(command, context)
        case Demo():
            from core.cli.commands.demo import demo

            return demo(command, context)
        case _:
            assert_never(command)


def _fleet(command: ListPeers | WatchFleet | ReplayFleet, context: CommandContext) -> int:
    match command:
        case ListPeers():
            from core.cli.commands.fleet.peers import peers

            return peers(command, context)
        case WatchFleet():
            from core.cli.commands.fleet.watch import watch_fleet

            return watch_fleet(command, context)
        case ReplayFleet():
            from core.cli.commands.fleet.replay import replay_fleet

            return replay_fleet(command)
        case _:
            assert_never(command)


def _open_closed_streams() -> None:
    """Have what a shell has closed, such as stdout by ``>&-``, lead nowhere; no file of ours gets its number."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            os.dup2(os.open(os.devnull, os.O_RDWR), number)
            setattr(sys, name, os.fdopen(number, "w" if number else "r", encoding="utf-8"))


def _replace_unencodable_characters(stream: TextIO) -> None:
    """Have a terminal without UTF-8 show question marks instead of ending the program."""
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="replace")
