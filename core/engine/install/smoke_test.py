"""Start an engine once before anybody relies on it."""

from __future__ import annotations

import queue
import threading
import time
from pathlib import Path

from core.engine.install.wheel_download import StoppedError
from core.engine.worker_command import command_of
from core.engine.worker_process import WorkerProcess
from core.errors import ErrorKind, UserError
from core.localizable import localized
from core.protocol.client_events import WorkerExited
from core.protocol.commands import Check
from core.protocol.events import AnyEvent, EngineChecked, Failed

LIMIT_SECONDS = 300.0
_LOOK_SECONDS = 0.2


def smoke_test(python: Path, logs: Path, stop: threading.Event) -> EngineChecked:
    """Start a worker of the engine and have it load its libraries; raises UserError if it cannot.

    StoppedError if somebody does not want to wait.
    """
    events: queue.SimpleQueue[AnyEvent | WorkerExited] = queue.SimpleQueue()
    try:
        worker = WorkerProcess(command_of(python), post=events.put, logs=logs)
    except OSError as error:
        raise UserError(ErrorKind.ENGINE_MISSING, f"{python}: {error.strerror}.") from error
    worker.send(Check())
    try:
        return _answer(events, stop)
    finally:
        worker.kill()
        worker.wait(LIMIT_SECONDS)


def _answer(events: queue.SimpleQueue[AnyEvent | WorkerExited], stop: threading.Event) -> EngineChecked:
    end = time.monotonic() + LIMIT_SECONDS
    while time.monotonic() < end:
        if stop.is_set():
            raise StoppedError
        try:
            event = events.get(timeout=_LOOK_SECONDS)
        except queue.Empty:
            continue
        match event:
            case EngineChecked():
                return event
            case Failed():
                raise UserError(ErrorKind.from_key(event.problem), event.detail)
            case WorkerExited():
                raise UserError(ErrorKind.ENGINE_MISSING, localized("Its exit code was %1.", event.returncode))
            case _:
                pass
    raise UserError(ErrorKind.ENGINE_MISSING, localized("It did not answer in time."))
