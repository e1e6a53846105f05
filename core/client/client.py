"""What a volunteer or an organiser can do: join, start, publish, pause, leave.

Front ends differ only in ``post``, which is called from other threads too and only queues an event that the
front end then gives to ``handle``. Everything else happens on the main thread.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from core.client.pace_sender import PaceSender
from core.client.reducer import reduce
from core.client.restart_policy import RestartPolicy
from core.client.session import Session
from core.client.wall_clock_timer import WallClockTimer
from core.client.worker_end import has_never_spoken, last_words, missing_again, unstartable
from core.engine.worker_command import worker_command as engine_command
from core.engine.worker_process import WorkerProcess
from core.errors import ErrorKind, UserError
from core.files.folders import Folders
from core.files.logs import worker_log
from core.observers.desktop_bus.worker_scope import give_scope
from core.protocol.client_events import (
    Asked,
    AvailabilityDecided,
    ClientEvent,
    FinishAsked,
    Opening,
    Pause,
    PauseAsked,
    PauseReason,
    RestartDue,
    ResumeAsked,
    RunContinued,
    WorkerExited,
)
from core.protocol.commands import Check, DryRun, Export, Join, Leave, NetworkMode, Publish, Push, Start, TestNetwork
from core.protocol.events import (
    Failed,
    Left,
    Progress,
    Published,
    Restarting,
    RunFound,
    SearchFinished,
    TrainingStarted,
)
from core.protocol.types import NOTHING_DISCLOSED, Disclosure
from core.run.consent import consent_digest
from core.run.manifest import RunManifest
from core.run.spec.experts import ExpertRole
from core.tickets.wallet import Wallet

if TYPE_CHECKING:
    from core.run.address import JoinAddress

LEAVE_LIMIT_SECONDS = 10.0
KILL_LIMIT_SECONDS = 5.0
PATIENCE = RestartPolicy()


class Client:
    """The session of one volunteer or organiser; ``session`` is its immutable state.

    ``join``, ``publish`` and ``ask`` begin one; another begins when that has ended.
    ``pace`` tells its worker how fast to work.
    """

    def __init__(
        self,
        folders: Folders,
        post: Callable[[ClientEvent], None],
        *,
        worker_command: Sequence[str] | None = None,
        restarts: RestartPolicy = PATIENCE,
        leave_limit_seconds: float = LEAVE_LIMIT_SECONDS,
    ) -> None:
        self.session = Session()
        self._folders, self._post = folders, post
        self._command, self._restarts, self._leave_limit_seconds = worker_command, restarts, leave_limit_seconds
        self._worker: WorkerProcess | None = None
        self.pace = PaceSender()
        self._clock: threading.Timer | None = None
        self._alarm: WallClockTimer | None = None
        self._works_since: float | None = None
        self._attempt, self._invitation, self._waited_for_room = 0, "", False

    def join(
        self,
        address: JoinAddress,
        *,
        run_id: str | None = None,
        network: NetworkMode = "auto",
        port: int | None = None,
        manifest: RunManifest | None = None,
        lists_peers: bool = False,
        watches_peers: bool = False,
        waits_for_room: bool = False,
    ) -> None:
        """Ask the swarm there which runs it publishes; a given manifest stands in for a published one.

        Who ``waits_for_room`` is told of a full disk, and the search goes on once it has room.
        """
        self._invitation = address.invitation
        command = Join(
            addresses=address.peers,
            home=str(self._folders.data),
            run_id=run_id or address.run_id,
            network=network,
            port=port,
            manifest=manifest,
            lists_peers=lists_peers,
            watches_peers=watches_peers,
        )
        self._begin(command, waits_for_room=waits_for_room)

    def publish(self, command: Publish) -> None:
        """Publish a run, as its first peer."""
        self._begin(command)

    def ask(self, command: Check | DryRun | Export | Push) -> None:
        """Have a worker load its engine, measure what fits here, export a checkpoint, or upload what was exported."""
        self._begin(command)

    def start(
        self,
        run: RunFound,
        *,
        device: str,
        threads: int | None = None,
        public_name: str = "",
        disclosure: Disclosure = NOTHING_DISCLOSED,
        disk_limit_bytes: int | None = None,
        memory_limit_bytes: int | None = None,
        micro_batch: int | None = None,
        role: ExpertRole = "train",
        hosted_experts: int | None = None,
        train: bool = True,
    ) -> None:
        """Train in a run that was found, or keep its state: the person has agreed to it as it is in ``run``."""
        # a crash or a pause asks nobody again, unless the organiser has changed what is computed, downloaded or used
        if self.session.phase in ("connecting", "found"):
            consent = Start(
                run_id=run.manifest.run.id,
                organiser=run.organiser,
                digest=consent_digest(run.manifest),
                device=device,
                threads=threads,
                public_name=public_name,
                disclosure=disclosure,
                disk_limit_bytes=disk_limit_bytes,
                memory_limit_bytes=memory_limit_bytes,
                micro_batch=micro_batch,
                role=role,
                hosted_experts=hosted_experts,
                train=train,
            )
            self.handle(Asked(consent, shown=run))

    def pause(self, until: float | None = None, reason: PauseReason = "person") -> None:
        """Say goodbye and give the device back, but keep the run; ``until`` as ``time.time()`` counts."""
        self.handle(PauseAsked(Pause(reason, until)))

    def resume(self) -> None:
        """Go on where the pause began; while the worker is still leaving, as soon as it has left."""
        if self.session.phase == "leaving":
            self.pause(until=0.0)
        else:
            self.handle(ResumeAsked())

    def finish_epoch(self, is_wanted: bool = True) -> None:
        """Pause when the present epoch is done; or withdraw that."""
        self.handle(FinishAsked(is_wanted))

    def test_network(self) -> None:
        """Find out again whether others can reach this computer."""
        if self.session.network is not None and self.session.network.test == "done":
            self.handle(Asked(TestNetwork()))

    def leave(self) -> None:
        """Say goodbye and end; at once, and only once. A worker that takes too long is killed."""
        is_leaving = self.session.phase == "leaving" and self.session.pause is None
        if self.session.phase not in ("idle", "ended") and not is_leaving:
            self.handle(Asked(Leave()))

    def close(self) -> None:
        """Leave and wait until nothing is left of the worker; for a program's end."""
        self.leave()
        if self._worker is None or self._worker.wait(self._leave_limit_seconds + self.session.saving_seconds):
            self._stop_clock()
        else:
            self.kill()

    def kill(self) -> None:
        """End the worker's whole family now, without a goodbye; for a person who insists."""
        if self._worker is not None:
            self._worker.kill()
            self._worker.wait(KILL_LIMIT_SECONDS)
        self._stop_clock()

    def handle(self, event: ClientEvent) -> None:
        """Reduce the session with an event, and carry out what follows from it."""
        before, self.session = self.session, reduce(self.session, event)
        self.pace.send(self._worker, self.session)
        match event:
            case Asked(command=Start() as consent):
                self._start(consent)
            case Asked(command=TestNetwork() as wish) if self._worker is not None:
                self._worker.send(wish)
            case TrainingStarted() | Progress() | Published():
                self._works_since = self._works_since or time.monotonic()
                self._finish()
            case RunFound() | SearchFinished():
                self._resume(event)
            case Failed() | Left() | Asked(command=Leave()):
                self._dismiss()
            case WorkerExited():
                self._take_note_of_end(event)
            case RestartDue() | ResumeAsked():
                self._start_again()
            case PauseAsked():
                self._pause()
            case AvailabilityDecided() | RunContinued():
                self._attempt = 0 if isinstance(event, RunContinued) else self._attempt
                if self.session.pause != before.pause or before.is_at_rest:
                    self._pause()
                    self._start_again()

    @property
    def log_file(self) -> Path:
        """The log to which the worker's stderr goes."""
        return worker_log(self._folders.logs)

    def _begin(self, command: Opening, *, waits_for_room: bool = False) -> None:
        if self._worker is not None or self.session.phase not in ("idle", "ended"):
            raise RuntimeError("the session before this one has not ended")
        self._attempt = 0
        self.handle(Asked(command, waits_for_room=waits_for_room))
        self._launch(command)

    def _launch(self, command: Opening) -> None:
        """Start a worker. One that cannot be started fails and exits like any other."""
        self._works_since = None
        try:
            self._folders.prepare()
            Wallet(self._folders.contents.invitations_file).add(self._invitation)
            words = self._command or engine_command(self._folders.data)
            self._worker = WorkerProcess(words, post=self._post, logs=self._folders.logs)
        except (UserError, OSError) as error:
            self._post(unstartable(error))
            self._post(WorkerExited(None))
        else:
            give_scope(self._worker.pid)
            self._worker.send(command)
            self.pace.begin(self._worker, self.session)

    def _start(self, consent: Start) -> None:
        """Unless the worker is just being restarted: then ``_resume`` does it; or the owner's rules ask for a pause."""
        if self.session.phase == "starting" and self._worker is not None:
            self._worker.send(consent)
        elif self.session.pause is not None:
            self._pause()

    def _resume(self, event: RunFound | SearchFinished) -> None:
        """In a restarted worker: start what was agreed to, by the organiser of before, and nothing else."""
        consent, session = self.session.consent, self.session
        if consent is None or session.phase not in ("connecting", "found"):
            return
        if session.found(consent.run_id, consent.organiser):
            self.handle(Asked(consent))
        elif isinstance(event, SearchFinished):
            is_there = any(run.manifest.run.id == consent.run_id for run in session.runs)
            self._post(missing_again(consent.run_id, is_there=is_there))

    def _dismiss(self) -> None:
        """Give the worker a bounded time to end; without one, do not wait for a restart any longer."""
        if self._worker is None:
            self._stop_clock()
        elif self._clock is None:
            self._worker.send(Leave())
            self._set_clock(self._leave_limit_seconds + self.session.saving_seconds, self._worker.kill)

    def _finish(self) -> None:
        """Pause if the epoch is done that was to be finished."""
        progress, last = self.session.progress, self.session.finish_at_epoch
        if progress is not None and last is not None and progress.epoch >= last:
            self.pause(reason="epoch_finished")

    def _pause(self) -> None:
        if self.session.phase == "leaving":
            self._dismiss()
        elif self.session.phase == "paused":
            self._stop_clock()
            self._set_alarm()

    def _set_alarm(self) -> None:
        pause = self.session.pause
        if pause is not None and pause.until is not None:
            self._alarm = WallClockTimer(pause.until, lambda: self._post(ResumeAsked(pause)))

    def _take_note_of_end(self, event: WorkerExited) -> None:
        self._stop_clock()
        self._worker = None
        if self.session.phase == "paused":
            self._attempt = 0
            self._set_alarm()
        elif self.session.is_worker_running:  # what the rules asked a pause for has ended meanwhile
            self._attempt = 0
            self._start_again()
        if not self.session.is_crashed:
            return
        good_running_seconds = time.monotonic() - self._works_since if self._works_since else 0.0
        crash = self.session.crash
        problem = ErrorKind.from_key(crash.problem) if crash else ErrorKind.WORKER_CRASHED
        has_trained, is_full = self.session.has_trained, problem is ErrorKind.DISK_FULL
        counted = self._attempt if is_full or not self._waited_for_room else 0  # who has waited for room did not fail
        attempt = self._restarts.next_attempt(counted, good_running_seconds, problem, has_trained=has_trained)
        if attempt is None or has_never_spoken(self.session, event.returncode) or not self.session.may_restart:
            self._post(last_words(self.session, event.returncode, self.log_file))
            return
        self._attempt, self._waited_for_room = attempt, is_full
        seconds = self._restarts.delay_seconds(attempt, problem)
        last = self._restarts.last_attempt(problem, has_trained=has_trained)
        told = crash.detail if crash and is_full else ""
        self._post(Restarting(attempt=attempt, seconds=seconds, problem=problem.key, last_attempt=last, detail=told))
        self._set_clock(seconds, lambda: self._post(RestartDue()))

    def _start_again(self) -> None:
        """With the same first command, as far as it still holds."""
        opening = self.session.opening_again
        if opening is None or self._worker is not None or not self.session.is_worker_running:
            return
        self._stop_clock()
        self._launch(opening)

    def _set_clock(self, seconds: float, callback: Callable[[], None]) -> None:
        """One clock is enough: it bounds a goodbye or waits for a restart, never both."""
        self._clock = threading.Timer(seconds, callback)
        self._clock.daemon = True
        self._clock.start()

    def _stop_clock(self) -> None:
        for clock in (self._clock, self._alarm):
            if clock is not None:
                clock.cancel()
        self._clock = self._alarm = None
