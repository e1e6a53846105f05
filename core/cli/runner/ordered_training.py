"""Training in several runs in an order: where one cannot be helped, the next begins, without a question."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TextIO

from core.cli.options.shared_options import Limits
from core.cli.output.summary import Tally
from core.cli.runner.context import CommandContext
from core.cli.runner.worker_session import WorkerSession
from core.client.session import Session
from core.errors import ErrorKind, UserError
from core.files.folders import Folders
from core.protocol.client_events import ClientEvent, EarlierRunReopened, RunContinued
from core.records.consents import Consents
from core.records.settings import Settings
from core.run_order.director import Computer, OrderDirector
from core.run_order.order import RunOrder, RunOrderFile
from core.run_order.probe import RunProbe


@dataclass(frozen=True)
class _Sums:
    """What the runs before the present one have had."""

    epochs: int = 0
    samples: int = 0
    seconds: float = 0.0


class OrderedTraining:
    """Helps the runs of an order with one worker session, until a limit is reached or a stop is requested.

    ``stream`` is asked for at each line, since a live display takes the terminal's for itself. ``file`` is where the
    changes are written down; without one they are only told.
    """

    def __init__(
        self,
        worker: WorkerSession,
        context: CommandContext,
        settings: Callable[[], Settings],
        order: RunOrder,
        stream: Callable[[], TextIO],
        file: RunOrderFile | None = None,
    ) -> None:
        folders = context.folders
        computer = Computer(folders, Consents(folders.contents.consents_file), settings, context.devices)
        self._worker, self._stream, self._file = worker, stream, file
        self._probe = _probe(folders, computer.consents, context)
        self._director = OrderDirector(computer, self._probe, order)
        self._sums = _Sums()
        self._name = ""
        self._next: RunContinued | None = None

    def run(self, limits: Limits) -> None:
        """Train; raises UserError where what is left waits for a person."""
        try:
            while self._wait(limits):
                self._change()
        finally:
            self._probe.close()
        self._end_run()
        if changed := self._director.names_of("changed"):
            names = ", ".join(f"“{name}”" for name in changed)
            raise UserError(ErrorKind.RUN_CHANGED, f"{names} was left out: join it by itself, and you are asked again.")

    def _wait(self, limits: Limits) -> bool:
        """Go on until another run begins; false where there is none any more, or enough was done."""
        self._next = None
        self._worker.follow(lambda session: self._is_due(session, limits))
        return self._next is not None

    def _is_due(self, session: Session, limits: Limits) -> bool:
        sums = self._sums
        seconds = sums.seconds + self._worker.tally.seconds(time.monotonic())
        if limits.reached(sums.epochs + session.epochs_done, sums.samples + session.contributed_samples, seconds):
            return True
        match self._director.look(session):
            case RunContinued() as event:
                self._next = event
            case EarlierRunReopened() as event:
                self._worker.post(event)
            case None:
                pass
        return self._next is not None or self._director.is_done

    def _change(self) -> None:
        """Leave the present run, and begin the next."""
        assert self._next is not None
        self._end_run()
        self._name = self._next.agreed.manifest.run.name
        if self._file is not None and self._next.switch is not None:
            self._file.save(self._file.order.with_switch(self._next.switch))
        self._worker.post(self._next)
        self._worker.follow(lambda session: session.consent is not None and session.phase != "ended")

    def _end_run(self) -> None:
        """Leave the present run, if there is one, and print what was given to it."""
        worker = self._worker
        if worker.session.phase == "idle":
            return
        worker.leave()
        now, session, tally = time.monotonic(), worker.session, worker.tally
        print(f"{self._name}: {tally.summary(session, now)}", file=self._stream(), flush=True)
        before = self._sums
        self._sums = replace(
            before,
            epochs=before.epochs + session.epochs_done,
            samples=before.samples + session.contributed_samples,
            seconds=before.seconds + tally.seconds(now),
        )
        worker.tally = Tally()


def _probe(folders: Folders, consents: Consents, context: CommandContext) -> RunProbe:
    def post(event: ClientEvent) -> None:
        context.loop.post(partial(probe.handle, event))

    command: Sequence[str] | None = context.worker_command
    probe = RunProbe(folders, consents, post, command)
    return probe
