"""From the words that a person typed to the process's exit code: the outermost frame."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from typing import TextIO, assert_never

from core.cli.output.error_report import log_unexpected_error, print_error
from core.cli.output.json_lines import print_failure
from core.cli.parser.arguments import (
    CheckRunFile,
    Demo,
    Doctor,
    Help,
    InspectSwarm,
    JoinRun,
    NewRunFile,
    ParsedCommand,
    PublishRun,
    TrySwarm,
    read_arguments,
)
from core.cli.parser.engine_arguments import EngineWish, MakeEngine, RemoveEngine, Reset, ShowEngine
from core.cli.parser.help_arguments import ShowDocument
from core.cli.runner.cancellation import Stop, Stopped
from core.cli.runner.context import CommandContext
from core.cli.runner.event_loop import MainLoop
from core.cli.runner.worker_session import SessionError
from core.errors import UserError
from core.files.folders import Folders
from core.files.logs import set_up_logging, worker_log
from core.version import own_version

_BROKEN_PIPE_CODE = 141


def run_command(words: list[str], worker_command: Sequence[str] | None = None) -> int:
    """Do what those words ask for; nothing but an exit code ever comes out of it."""
    for stream in (sys.stdout, sys.stderr):
        _never_refuse_a_character(stream)
    folders = Folders.default()
    wants_json = "--json" in words
    try:
        code = _do(read_arguments(words, own_version()), folders, worker_command)
        sys.stdout.flush()
        return code
    except SystemExit as done:  # argparse has printed its help or the version
        return int(done.code or 0)
    except Stopped as stopped:
        return stopped.exit_code
    except UserError as error:
        return _fail(error, folders, wants_json)
    except OSError as error:
        if error.errno not in (errno.EPIPE, errno.EIO):  # whoever read our words has gone
            return _fail(log_unexpected_error(folders), folders, wants_json)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return _BROKEN_PIPE_CODE
    except Exception:
        return _fail(log_unexpected_error(folders), folders, wants_json)


def _fail(error: UserError, folders: Folders, wants_json: bool) -> int:
    try:
        if wants_json and not isinstance(error, SessionError):
            print_failure(error)
        print_error(error, worker_log(folders.logs))
    except OSError:
        pass  # nobody is there to be told
    return error.problem.exit_code


def _do(wish: ParsedCommand, folders: Folders, worker_command: Sequence[str] | None) -> int:
    match wish:
        case Help():
            print(wish.text, end="")
            return 0
        case ShowDocument():
            from core.cli.commands.help import show_document

            return show_document(wish)
        case NewRunFile() | CheckRunFile():
            return _with_run_file(wish)
        case ShowEngine() | MakeEngine() | RemoveEngine():
            return _with_engine_room(wish, folders)
        case Reset():
            from core.cli.commands.reset import reset

            return reset(wish, folders)
        case PublishRun() | JoinRun() | InspectSwarm() | TrySwarm() | Demo() | Doctor():
            return _at_desk(wish, folders, worker_command)
        case _:
            assert_never(wish)


def _with_run_file(wish: NewRunFile | CheckRunFile) -> int:
    from core.cli.commands.run import check_run_file, new_run_file

    return new_run_file(wish) if isinstance(wish, NewRunFile) else check_run_file(wish)


def _with_engine_room(wish: EngineWish, folders: Folders) -> int:
    from core.cli.commands.engine import engine

    folders.prepare()
    set_up_logging(folders.logs)
    return engine(wish, folders)


def _at_desk(
    wish: PublishRun | JoinRun | InspectSwarm | TrySwarm | Demo | Doctor,
    folders: Folders,
    worker_command: Sequence[str] | None,
) -> int:
    """Commands that start a worker; each imports what only it needs."""
    loop = MainLoop()
    stop = Stop(wake=lambda: loop.post(lambda: None))
    desk = CommandContext(folders, loop, stop, worker_command)
    with stop.by_signals():
        if isinstance(wish, Doctor):
            from core.cli.commands.doctor import doctor

            return doctor(wish, desk)
        folders.prepare()
        set_up_logging(folders.logs)
        return _with_engine(wish, desk)


def _with_engine(wish: PublishRun | JoinRun | InspectSwarm | TrySwarm | Demo, desk: CommandContext) -> int:
    match wish:
        case JoinRun():
            from core.cli.commands.join import join

            return join(wish, desk)
        case PublishRun():
            from core.cli.commands.publish import publish

            return publish(wish, desk)
        case InspectSwarm():
            from core.cli.commands.inspect import inspect

            return inspect(wish, desk)
        case TrySwarm():
            from core.cli.commands.swarm import swarm

            return swarm(wish, desk)
        case Demo():
            from core.cli.commands.demo import demo

            return demo(wish, desk)
        case _:
            assert_never(wish)


def _never_refuse_a_character(stream: TextIO) -> None:
    """A terminal without UTF-8 shows question marks instead of ending the program."""
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="replace")
