"""The folders and the log of a command that trains: where the disk is full, it waits for room."""

from __future__ import annotations

import time

from core.cli.runner.cancellation import Stopped
from core.cli.runner.context import CommandContext
from core.cli.runner.displays import display_for
from core.client.restart_policy import RestartPolicy
from core.client.session import Session
from core.errors import ErrorKind, UserError
from core.files.atomic import DISK_FULL_CODES, storage_problem
from core.files.folders import Folders
from core.files.logs import set_up_logging
from core.protocol.events import Restarting

PATIENCE = RestartPolicy()


def wait_for_folders(context: CommandContext, *, wants_json: bool) -> None:
    """Make the folders and begin the log, as soon as the disk has room for them.

    Raises UserError and OSError for anything but a full disk, and Stopped after a request to stop.
    """
    display, attempt, problem = display_for(wants_json), 0, ErrorKind.DISK_FULL
    while (full := _full_disk(context.folders)) is not None:
        attempt += 1
        seconds = PATIENCE.delay_seconds(attempt, problem)
        waiting = Restarting(attempt=attempt, seconds=seconds, problem=problem.key, detail=full.detail)
        display.handle_event(waiting, Session())
        _wait(context, seconds)


def _wait(context: CommandContext, seconds: float) -> None:
    ends, stop = time.monotonic() + seconds, context.stop
    context.loop.run_until(lambda: stop.is_requested or time.monotonic() >= ends, lambda: None)
    if stop.is_requested:
        raise Stopped(stop.exit_code)


def _full_disk(folders: Folders) -> UserError | None:
    """What has no room, of the folders and the log; ``None`` where they are ready."""
    try:
        folders.prepare()
        set_up_logging(folders.logs)
    except UserError as error:
        if error.problem is not ErrorKind.DISK_FULL:
            raise
        return error
    except OSError as error:
        if error.errno not in DISK_FULL_CODES:
            raise
        return storage_problem(error, folders.logs)
    return None
