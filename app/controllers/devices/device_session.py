"""The session of one further GPU: a worker of its own in the run that the person has started on the first device."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from PySide6.QtCore import QObject, QTimer, Signal

from app.controllers.availability_controller import AvailabilityController
from app.controllers.thread_bridge import Bridge
from core.availability.decision import Decision
from core.availability.observation import Observation
from core.availability.pacing import Pace
from core.client.availability_guard import AvailabilityGuard
from core.client.client import Client
from core.client.computer_watch import ComputerWatch
from core.client.event_timestamps import EventTimestamps
from core.client.session import Session
from core.files.folders import Folders
from core.protocol.client_events import ClientEvent, Pause, PauseAsked, ResumeAsked, RunContinued
from core.protocol.commands import Join
from core.records.pauses import PauseLog
from core.records.traffic_log import TrafficLog
from core.suspend.suspend_pause import SuspendPause

_FIRST_MILLISECONDS = 100
_PATIENCE_SECONDS = 5.0  # with a driver that hangs


class DeviceSession(QObject):
    """Trains on one further device, paused by the person and by the rules as its own GPU is seen; main thread only.

    Signals:
        changed: the session before and after any event.
        told: an event of its client.

    Attributes:
        label: the device, by its label, such as ``cuda:1``.
        client: the client, whose worker trains.
        timestamps: when the session's newest events were seen.
    """

    changed = Signal(object, object)
    told = Signal(object)

    def __init__(
        self,
        label: str,
        folders: Folders,
        availability: AvailabilityController,
        watch: ComputerWatch,
        parent: QObject | None = None,
        *,
        worker_command: Sequence[str] | None = None,
    ) -> None:
        """``watch`` looks at this device alone; the rest of the computer is what ``availability`` has seen."""
        super().__init__(parent)
        self.label, self.timestamps = label, EventTimestamps()
        self._availability, self._watch = availability, watch
        self._bridge = Bridge(self)
        self._bridge.event_arrived.connect(self._on_event)
        self.client = Client(folders, self._bridge.post_event, worker_command=worker_command)
        kept = folders.contents
        self._traffic, self._pauses = TrafficLog(kept.traffic_file), PauseLog(kept.pauses_file)
        self._guard = AvailabilityGuard(lambda: availability.rules, self._seen, self._bridge.post_event, self._note)
        self._due: RunContinued | None = None
        self._deadline = 0.0
        self._suspend_pause = SuspendPause(lambda: self.session, self._ask)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._check)

    @property
    def session(self) -> Session:
        """The session as it is now."""
        return self.client.session

    @property
    def is_over(self) -> bool:
        """Whether nothing of a run is left, and none is about to begin."""
        return self._due is None and self.session.phase in ("idle", "ended")

    @property
    def is_at_work(self) -> bool:
        """Whether it trains or is about to, so that it can be paused."""
        is_due = self._due is not None and self._due.pause is None
        return is_due or self.session.is_at_work

    @property
    def may_suspend(self) -> bool:
        """Whether the computer may be suspended without anybody in the swarm waiting for this worker."""
        return self._suspend_pause.may_suspend

    @property
    def pause_of_owner(self) -> Pause | None:
        """How the person has paused it, if they have."""
        pause = self._due.pause if self._due is not None else self.session.pause
        return pause if pause is not None and pause.reason in ("person", "epoch_finished") else None

    def begin(self, event: RunContinued) -> None:
        """Train in that run once its GPU has been seen, so that nothing is started that a rule then has to pause.

        Another run is left first.
        """
        self._due, self._deadline = event, time.monotonic() + _PATIENCE_SECONDS
        self._watch.start()
        self._timer.start(_FIRST_MILLISECONDS)
        self._apply(self.client.leave)

    def join_again(self) -> None:
        """Begin once more in the run that it was begun in, such as after a problem that has ended it."""
        session = self.session
        if isinstance(session.opening, Join) and session.consent is not None and session.agreed is not None:
            self.begin(RunContinued(session.opening, session.consent, session.agreed))

    def pause(self, seconds: float | None = None) -> None:
        """Pause for so many seconds, or until the person resumes."""
        self._suspend_pause.forget()
        pause = Pause("person", None if seconds is None else time.time() + seconds)
        if self._due is not None:
            self._due = replace(self._due, pause=pause)
        else:
            self._apply(lambda: self.client.pause(until=pause.until))

    def resume(self) -> None:
        """Go on after a pause, even if the owner's rules ask for one."""
        if self._due is not None:
            self._due = replace(self._due, pause=None)
        self._guard.resume_now()
        self._apply(self.client.resume)

    def ignore_reason(self) -> None:
        """Ignore the rule that asks for the pause until midnight, on this device."""
        self._guard.ignore_today()

    def finish_epoch(self) -> None:
        """Stop after this epoch; the second call takes that back."""
        self._apply(lambda: self.client.finish_epoch(not self.session.is_finishing))

    def test_network(self) -> None:
        """Test again whether others can reach this worker."""
        self._apply(self.client.test_network)

    def leave(self) -> None:
        """Leave the run, with a goodbye to the others."""
        self._due = None
        self._apply(self.client.leave)

    def prepare_suspend(self) -> None:
        """Leave the run because the computer is about to be suspended."""
        self._suspend_pause.prepare(is_at_work=self.is_at_work)

    def resume_after_suspend(self) -> None:
        """Join the run again that was left for a suspend, or that was connected all through it."""
        self._suspend_pause.end(is_at_work=self.is_at_work)

    def deliver(self) -> None:
        """Handle the reports that have waited; about once a second."""
        self._bridge.deliver()

    def close(self) -> None:
        """Leave, and wait until the worker has ended; its last events are handled."""
        self.leave()
        self.client.close()
        self._bridge.deliver()
        self._stop()

    def _on_event(self, event: ClientEvent) -> None:
        self._apply(lambda: self.client.handle(event))
        self.told.emit(event)

    def _ask(self, wish: PauseAsked | ResumeAsked) -> None:
        self._apply(lambda: self.client.handle(wish))

    def _apply(self, action: Callable[[], None]) -> None:
        """Do that to the client, and emit what it has changed."""
        before = self.session
        action()
        after = self.session
        if after is not before:
            self.timestamps = self.timestamps.after(after, time.time())
            if before.pause != after.pause and self._timer.isActive():  # a computer may sleep before the next look
                self._note(after.availability, after.pace, datetime.now().astimezone())
            self.changed.emit(before, after)
        self._suspend_pause.go_on()

    def _check(self) -> None:
        """Have the rules decide, and begin what has waited for their first decision."""
        has_seen = self._guard.check()
        next_check = self._guard.next_check_seconds(self._watch.next_look_seconds)
        self._timer.setInterval(int(next_check * 1000) if has_seen and self._due is None else _FIRST_MILLISECONDS)
        if self.session.phase not in ("idle", "ended"):
            return
        if self._due is None:
            self._stop()
        elif has_seen or time.monotonic() > self._deadline:
            event, self._due = self._due, None
            self._bridge.post_event(event)  # after the decision, which has been posted
            self._bridge.deliver()

    def _stop(self) -> None:
        """Observe nothing until a run begins."""
        self._pauses.end(datetime.now().astimezone())
        self._traffic.count(self.session.traffic, datetime.now())
        self._traffic.write()
        self._timer.stop()
        self._watch.stop()

    def _note(self, decision: Decision, pace: Pace, at: datetime) -> None:
        has_run = self.session.consent is not None and not self.is_over
        self._pauses.note(decision, at, self.label if has_run else None, self.session.pause, pace)

    def _seen(self) -> Observation | None:
        """What holds for the whole computer, and what is seen of this GPU."""
        self._traffic.count(self.session.traffic, datetime.now())
        computer, gpu = self._availability.observation, self._watch.seen({})
        if computer is None or gpu is None:
            return None
        return replace(
            computer,
            at=gpu.at,
            monotonic=gpu.monotonic,
            gpu_uses=gpu.gpu_uses,
            gpu_celsius=gpu.gpu_celsius,
            gpu_watts=gpu.gpu_watts,
            fan_percent=gpu.fan_percent,
        )
