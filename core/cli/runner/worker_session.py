"""A client with its display and the event loop that drives both: what every command has in common."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from types import TracebackType
from typing import Protocol

from core.cli.options.shared_options import Limits
from core.cli.output.summary import Tally
from core.cli.runner.cancellation import ForceQuitError, Stopped
from core.cli.runner.context import CommandContext
from core.client.availability_guard import AvailabilityGuard
from core.client.client import Client
from core.client.session import Session
from core.errors import ErrorKind, UserError
from core.files.folders import Folders
from core.localizable import Detail
from core.problem_report.session_events import SessionEvents
from core.protocol.client_events import ClientEvent
from core.protocol.events import RunFound

_EXPLAINED_BY_LOG = {ErrorKind.WORKER_CRASHED, ErrorKind.WORKER_NONSENSE, ErrorKind.ENGINE_MISSING}


class SessionError(UserError):
    """The session has ended with an error, which its display has printed."""


class Display(Protocol):
    """Shows a session: is given every event, and called at every tick."""

    def handle_event(self, event: ClientEvent, session: Session) -> None:
        """Show the event that has just led to this session."""

    def refresh(self, session: Session, tally: Tally) -> None:
        """Show the session again, because some time has passed."""


class WorkerSession:
    """A context with a client: when it is left, no worker is left; after a forced quit without a goodbye.

    ``guard`` drives the owner's rules, where they are followed; ``record`` is given the session whenever it may be new,
    and the ``listeners`` hear of every event that was shown. What happens is kept for a report of a problem.
    """

    def __init__(self, context: CommandContext, display: Display, folders: Folders | None = None) -> None:
        self.display = display
        self.tally = Tally()
        self.guard: AvailabilityGuard | None = None
        self.listeners: list[Callable[[ClientEvent], None]] = []
        self.record: Callable[[Session], None] | None = None
        self._context = context
        self._events = SessionEvents((folders or context.folders).logs)
        self.client = Client(folders or context.folders, self.post, worker_command=context.worker_command)

    def __enter__(self) -> WorkerSession:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, ForceQuitError):
            self.client.kill()
        else:
            self.client.close()

    @property
    def session(self) -> Session:
        """The state of the session as it is now."""
        return self.client.session

    @property
    def has_ended(self) -> bool:
        """Whether the session has ended, so that nothing more will happen."""
        return self.session.phase == "ended"

    @property
    def changed_run(self) -> RunFound | None:
        """What has become of the run that was agreed to, where a person has to agree again; found by its worker."""
        session, agreed = self.session, self.session.agreed
        if agreed is None or not session.is_changed or session.phase != "found" or not session.is_search_finished:
            return None
        return session.found(agreed.manifest.run.id, agreed.organiser)

    @property
    def failure(self) -> SessionError | None:
        """The error that has ended the session, with the path of the log where that explains it."""
        problem = self.session.problem
        return None if problem is None else SessionError(problem, self._with_log(problem, self.session.problem_detail))

    def wait_until(self, is_done: Callable[[Session], bool]) -> Session:
        """Return the session once ``is_done``; raises SessionError, or Stopped after a request to stop."""
        self._run_until(lambda: is_done(self.session) or self._context.stop.is_requested)
        self._raise_failure()
        if not is_done(self.session):
            if self.has_ended:
                detail = "It ended before it had done what it was asked for."
                raise UserError(ErrorKind.WORKER_CRASHED, self._with_log(ErrorKind.WORKER_CRASHED, detail))
            self.leave()
            raise Stopped(self._context.stop.exit_code)
        return self.session

    def train(self, limits: Limits) -> None:
        """Train until a limit is reached, a stop is requested or the session ends, and leave; raises SessionError.

        Where the run is changed meanwhile, return without leaving: ``changed_run`` then waits for consent.
        """
        self._run_until(
            lambda: self._context.stop.is_requested or self._has_reached(limits) or self.changed_run is not None
        )
        if self.changed_run is None or self._context.stop.is_requested:
            self.leave()
        self._raise_failure()

    def follow(self, is_done: Callable[[Session], bool]) -> None:
        """Go on, beyond the end of a session too, until ``is_done`` or a stop is requested; raises nothing."""
        self._context.loop.run_until(lambda: self._context.stop.is_requested or is_done(self.session), self._refresh)

    def watch(self) -> None:
        """Go on until a stop is requested or the session has ended; raises SessionError."""
        self._run_until(lambda: self._context.stop.is_requested)
        self._raise_failure()

    def leave(self) -> None:
        """Leave the swarm and wait for the end, which the client bounds in time."""
        if not self.has_ended:
            self.client.leave()
            self._run_until(lambda: False)

    def post(self, event: ClientEvent) -> None:
        """Have that event handled on the thread of the loop; may be called from any thread."""
        self.run_soon(partial(self.handle, event))

    def run_soon(self, callback: Callable[[], None]) -> None:
        """Have that called on the thread of the loop; may be called from any thread."""
        self._context.loop.post(callback)

    def handle(self, event: ClientEvent) -> None:
        """Give the client that event, show it, and tell the listeners; on the thread of the loop only."""
        self.client.handle(event)
        self.tally = self.tally.after(event, self.session, time.monotonic())
        if self.record is not None:
            self.record(self.session)
        self._events.note(event)
        self.display.handle_event(event, self.session)
        for listener in tuple(self.listeners):
            listener(event)

    def resume_now(self) -> None:
        """Go on although the owner's rules ask for a pause; may be called from any thread."""
        if self.guard is not None:
            self.run_soon(self.guard.resume_now)

    def ignore_today(self) -> None:
        """Ignore the reason of the pause until midnight; may be called from any thread."""
        if self.guard is not None:
            self.run_soon(self.guard.ignore_today)

    def _raise_failure(self) -> None:
        if self.failure is not None:
            self.leave()
            raise self.failure

    def _with_log(self, problem: ErrorKind, detail: Detail) -> str:
        log, words = str(self.client.log_file), str(detail)
        return f"{words} The log is {log}.".strip() if problem in _EXPLAINED_BY_LOG and log not in words else words

    def _run_until(self, is_done: Callable[[], bool]) -> None:
        self._context.loop.run_until(lambda: self.has_ended or is_done(), self._refresh)

    def _has_reached(self, limits: Limits) -> bool:
        seconds = self.tally.seconds(time.monotonic())
        return limits.reached(self.session.epochs_done, self.session.contributed_samples, seconds)

    def _refresh(self) -> None:
        if self.guard is not None:
            self.guard.check()
        if self.record is not None:
            self.record(self.session)
        self.display.refresh(self.session, self.tally)


@contextmanager
def raise_first_failure(workers: Mapping[str, WorkerSession]) -> Iterator[None]:
    """However the block ends, raise the error of the first worker that failed, with the worker's name."""
    try:
        yield
    finally:
        for name, worker in workers.items():
            if (failure := worker.failure) is not None:
                raise UserError(failure.problem, f"The {name}: {failure.detail}".strip())
