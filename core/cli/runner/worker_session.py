"""One client, whoever watches it, and the loop that drives both: what every command has in common."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from types import TracebackType
from typing import Protocol

from core.cli.output.summary import Tally
from core.cli.parser.stop_conditions import Limits
from core.cli.runner.cancellation import ForceQuitError, Stopped
from core.cli.runner.context import CommandContext
from core.client.client import Client
from core.client.session import Session
from core.errors import ErrorKind, UserError
from core.files.folders import Folders
from core.protocol.client_events import ClientEvent


class SessionError(UserError):
    """The session has ended with a problem, which its watcher has been told."""


@contextmanager
def raise_first_failure(peers: Mapping[str, WorkerSession]) -> Iterator[None]:
    """Whatever has ended what they do together, one that came to grief was the reason; by their names."""
    try:
        yield
    finally:
        for name, peer in peers.items():
            if (problem := peer.session.problem) is not None:
                raise UserError(problem, f"The {name}: {peer.session.problem_detail}".strip())


class Watcher(Protocol):
    """Shows a session; is told of every event, and at every tick."""

    def happened(self, event: ClientEvent, session: Session) -> None:
        """That event has just led to this session."""

    def refresh(self, session: Session, tally: Tally) -> None:
        """Some time has passed."""


class WorkerSession:
    """A context: when it is left, nothing of the worker is left; without a goodbye if somebody insists."""

    def __init__(self, desk: CommandContext, watcher: Watcher, folders: Folders | None = None) -> None:
        self.watcher = watcher
        self.tally = Tally()
        self._desk = desk
        self.client = Client(folders or desk.folders, self._post, worker_command=desk.worker_command)

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
        """The picture as it is now."""
        return self.client.session

    @property
    def has_ended(self) -> bool:
        """Whether nothing more will happen."""
        return self.session.phase == "ended"

    def wait_until(self, is_done: Callable[[Session], bool]) -> Session:
        """The session once that is so; raises SessionError, or Stopped if somebody wants to stop first."""
        self._run_until(lambda: is_done(self.session) or self._desk.stop.is_requested)
        self.raise_problem()
        if not is_done(self.session):
            if self.has_ended:
                raise UserError(ErrorKind.WORKER_CRASHED, "It ended before it had done what it was asked for.")
            self.leave()
            raise Stopped(self._desk.stop.exit_code)
        return self.session

    def train(self, limits: Limits) -> None:
        """Go on until a limit is reached, somebody wants to stop or the session ends; leave properly."""
        self._run_until(lambda: self._desk.stop.is_requested or self._has_reached(limits))
        self.leave()
        self.raise_problem()

    def leave(self) -> None:
        """Say goodbye and wait for the end, which the client bounds in time."""
        if not self.has_ended:
            self.client.leave()
            self._run_until(lambda: False)

    def raise_problem(self) -> None:
        """Raise SessionError if the session has come to grief."""
        if self.session.problem is not None:
            self.leave()
            raise SessionError(self.session.problem, self.session.problem_detail)

    def _run_until(self, is_done: Callable[[], bool]) -> None:
        self._desk.loop.run_until(lambda: self.has_ended or is_done(), self._tick)

    def _has_reached(self, limits: Limits) -> bool:
        session = self.session
        seconds = self.tally.seconds(time.monotonic())
        return limits.reached(session.epochs_done, session.contributed_samples, seconds)

    def _tick(self) -> None:
        self.watcher.refresh(self.session, self.tally)

    def _post(self, event: ClientEvent) -> None:
        self._desk.loop.post(partial(self._happened, event))

    def _happened(self, event: ClientEvent) -> None:
        self.client.handle(event)
        self.tally = self.tally.after(event, self.session, time.monotonic())
        self.watcher.happened(event, self.session)
