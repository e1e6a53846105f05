"""Supervision of the worker's background threads: log, restart with back-off, and fail in words."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable
from typing import Protocol

from core.errors import ErrorKind, UserError
from core.localizable import localized
from core.protocol.events import AnyEvent, Failed

MAX_RESTARTS = 3
FIRST_PAUSE_SECONDS = 1.0
RECOVERED_SECONDS = 600.0

log = logging.getLogger(__name__)

StartThread = Callable[[str, Callable[[], None]], threading.Thread]
"""The signature of ``Supervisor.start``, for those that must not import this package."""


class EventSink(Protocol):
    """The part of the worker's channel through which its last events leave."""

    def emit(self, event: AnyEvent) -> None: ...

    def close(self) -> None: ...


class Supervisor:
    """Starts every background thread of the worker, and ends the worker where one of them cannot go on.

    A thread ends when its function returns. After an unexpected exception it is started again, 1, 2 and 4 s
    later; a fourth exception ends the worker with ``ErrorKind.INTERNAL``. A thread that has run for
    ``RECOVERED_SECONDS`` has all its restarts again. A UserError ends the worker at once, in its own words.
    """

    def __init__(
        self,
        sink: EventSink,
        *,
        exit_process: Callable[[int], object] = os._exit,
        first_pause_seconds: float = FIRST_PAUSE_SECONDS,
    ) -> None:
        self._sink, self._exit_process, self._first_pause_seconds = sink, exit_process, first_pause_seconds
        self._exiting = threading.Lock()
        self.say_goodbye: Callable[[], None] = lambda: None
        """How to leave the peers that count on us; set once there are any, and called before every exit."""
        self.save: Callable[[], None] = lambda: None
        """How to save what is lost otherwise; set once there is anything, called before an exit without a failure."""

    def start(self, name: str, run: Callable[[], None]) -> threading.Thread:
        """Run that function in a daemon thread of that name, which also appears in logs and error messages."""
        thread = threading.Thread(target=self._supervise, args=(name, run), name=name, daemon=True)
        thread.start()
        return thread

    def fail(self, error: UserError) -> None:
        """Tell the client why, say goodbye to the swarm and end this process with exit code 1."""
        log.error("giving up: %s", error)
        self._sink.emit(Failed(problem=error.problem.key, detail=error.detail))
        self.exit(1)

    def exit(self, code: int, *last_events: AnyEvent) -> None:
        """Say goodbye to the swarm and end this process, whatever its main thread waits for."""
        with self._exiting:  # a second thread that gives up waits here for the end of the process
            _attempt("the goodbye", self.say_goodbye)
            if code == 0:
                _attempt("saving the last state", self.save)
            for event in last_events:
                self._sink.emit(event)
            self._sink.close()
            self._exit_process(code)

    def _supervise(self, name: str, run: Callable[[], None]) -> None:
        restarts = 0
        while True:
            started_at = time.monotonic()
            try:
                return run()
            except UserError as error:
                return self.fail(error)
            except BaseException as error:  # asyncio.CancelledError, too
                log.exception("the thread “%s” failed", name)
                if time.monotonic() - started_at >= RECOVERED_SECONDS:
                    restarts = 0
                if restarts == MAX_RESTARTS:
                    return self.fail(_failed_again_and_again(name, error))
            time.sleep(self._first_pause_seconds * 2**restarts)
            restarts += 1


def log_unhandled_exceptions() -> None:
    """Install the ``threading.excepthook`` of the worker: threads of libraries leave a traceback in the log."""
    threading.excepthook = _log_unhandled


def _log_unhandled(ended: threading.ExceptHookArgs) -> None:
    if ended.exc_value is None or ended.exc_type is SystemExit:
        return
    name = ended.thread.name if ended.thread else "unknown"
    log.critical(
        "the thread “%s” ended with an unhandled exception",
        name,
        exc_info=(ended.exc_type, ended.exc_value, ended.exc_traceback),
    )


def _attempt(name: str, step: Callable[[], None]) -> None:
    """Take a step of the end, which comes even if that fails."""
    try:
        step()
    except Exception:
        log.exception("%s failed", name)


def _failed_again_and_again(name: str, error: BaseException) -> UserError:
    times = MAX_RESTARTS + 1
    detail = localized(
        "The background thread “%1” failed %2 times; the last error was %3.", name, times, type(error).__name__
    )
    return UserError(ErrorKind.INTERNAL, detail)
