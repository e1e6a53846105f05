"""The sessions of a run on several devices: each is begun, paused and left as the person wishes it of all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import msgspec
from PySide6.QtCore import QObject, Signal

from app.controllers.availability_controller import AvailabilityController
from app.controllers.device_poller import DevicePoller
from app.controllers.devices.device_session import DeviceSession
from app.controllers.recording_controller import RECORD_SECONDS_HIDDEN, RecordingController
from app.controllers.session_controller import SessionController, stage_of
from core.client.computer_watch import ComputerWatch, Observer, gpus_called
from core.client.session import Session
from core.files.folders import Folders
from core.problem_report.session_events import SessionEvents
from core.protocol.client_events import Pause, RunContinued
from core.protocol.commands import REPORT_SECONDS, Join
from core.records.unfinished_run import FurtherDevice

AnySession = SessionController | DeviceSession


def gpu_watch(availability: AvailabilityController, device_poller: DevicePoller, device: str) -> ComputerWatch:
    """A watch over one GPU, by its label; each look is as the rules ask for it."""

    def observer() -> Observer:
        from core.observers.gpu import GpuObserver

        return GpuObserver(gpus_called(device, device_poller.devices))

    return ComputerWatch(observer, lambda: availability.rules)


class DeviceSessions(QObject):
    """The session controller's session, and one for each further device that was chosen; main thread only.

    The first is what the person joins, reviews and starts; the others begin when it does, with the same consent, and
    are left with it. Between these, each is paused by the rules as its own GPU is seen, and goes on alone where
    another one fails. What happens is kept in the folder of logs, for a report of a problem.

    Signals:
        changed: a further session, and how it was before and after an event.
        pauses_changed: a further device, which goes on or waits, has another pause of its owner.
        stage_changed: something differs in a further session that a person waits for.
        told: a further session, and an event of its client.

    Attributes:
        chosen: the further devices that were chosen for the run, by their labels.
        make_watch: makes what looks at one GPU, by its label.
    """

    changed = Signal(object, object, object)
    pauses_changed = Signal()
    stage_changed = Signal()
    told = Signal(object, object)

    def __init__(
        self,
        folders: Folders,
        session_controller: SessionController,
        availability: AvailabilityController,
        recording: RecordingController,
        device_poller: DevicePoller,
        parent: QObject | None = None,
        *,
        worker_command: Sequence[str] | None = None,
    ) -> None:
        super().__init__(parent)
        self.chosen: tuple[str, ...] = ()
        self._folders, self._worker_command = folders, worker_command
        self._session_controller, self._availability, self._recording = session_controller, availability, recording
        self.make_watch: Callable[[str], ComputerWatch] = partial(gpu_watch, availability, device_poller)
        self._made: dict[str, DeviceSession] = {}
        self._pauses: dict[str, Pause | None] = {}
        self._addresses: frozenset[object] = frozenset()
        events = SessionEvents(folders.logs)
        session_controller.told.connect(events.note)
        self.told.connect(lambda each, event: events.note(event, each.label))
        session_controller.changed.connect(self._follow)
        session_controller.left.connect(self._leave)
        session_controller.interrupted.connect(self._leave)

    @property
    def first(self) -> SessionController:
        """The session that a person joins, reviews and starts."""
        return self._session_controller

    @property
    def further(self) -> tuple[DeviceSession, ...]:
        """The further sessions that are part of the present run, in the order of their devices."""
        parts = (each for each in self._made.values() if each.label in self.chosen or not each.is_over)
        return tuple(sorted(parts, key=lambda each: each.label))

    @property
    def all(self) -> tuple[AnySession, ...]:
        """All sessions of the present run, that of the first device first."""
        return (self._session_controller, *self.further)

    @property
    def foremost(self) -> AnySession:
        """The first that is at work; where none is, that of the first device."""
        return next((each for each in self.all if each.is_at_work), self._session_controller)

    @property
    def is_over(self) -> bool:
        """Whether nothing of a run is left on any device."""
        return self._session_controller.is_over and all(each.is_over for each in self._made.values())

    @property
    def kept(self) -> tuple[FurtherDevice, ...]:
        """The further devices as they go on after the next start."""
        pauses = {each.label: each.pause_of_owner for each in self.further} | self._pauses
        return tuple(_kept(device, pauses.get(device)) for device in self.chosen)

    def choose(self, devices: Sequence[str], first: str = "") -> None:
        """Train on these, too, by their labels, in the run that was found; ``first`` stays the first device then."""
        opening = self._session_controller.session.opening
        self._choose(devices, first, opening.addresses if isinstance(opening, Join) else ())

    def choose_again(self, devices: Sequence[FurtherDevice], first: str, addresses: Sequence[object]) -> None:
        """Choose the devices of a run that goes on after a start, each paused as its owner had it."""
        self._pauses = {each.device: each.pause_of_owner for each in devices}
        self._choose([each.device for each in devices], first, addresses)

    def pause(self, seconds: float | None = None) -> None:
        """Pause all for so many seconds, or until the person resumes."""
        for each in self.all:
            each.pause(seconds)

    def resume(self) -> None:
        """Go on with all that are paused, even if the owner's rules ask for a pause."""
        for each in self.all:
            if each.session.phase == "paused":
                each.resume()

    def finish_epoch(self) -> None:
        """Stop all after this epoch; the second call takes that back."""
        is_finishing = self.foremost.session.is_finishing
        for each in self.all:
            if each.session.phase == "training" and each.session.is_finishing == is_finishing:
                each.finish_epoch()

    def pause_or_resume(self) -> None:
        """Pause what trains; where nothing does, resume what is paused."""
        if self.is_at_work:
            self.pause()
        else:
            self.resume()

    @property
    def is_at_work(self) -> bool:
        """Whether any of them can be paused."""
        return any(each.is_at_work for each in self.all)

    @property
    def is_paused(self) -> bool:
        """Whether any of them can be resumed."""
        return any(each.session.phase == "paused" for each in self.all)

    def prepare_suspend(self) -> bool:
        """Leave the run because the computer is about to be suspended; whether there is anything to wait for."""
        for each in self._made.values():
            each.prepare_suspend()
        self._session_controller.prepare_suspend()
        return not self.may_suspend

    @property
    def may_suspend(self) -> bool:
        """Whether the computer may be suspended without anybody in the swarm waiting for it."""
        return self._session_controller.may_suspend and all(each.may_suspend for each in self._made.values())

    def resume_after_suspend(self) -> None:
        """Join the run again that was left for a suspend."""
        self._session_controller.resume_after_suspend()
        for each in self._made.values():
            each.resume_after_suspend()

    def record(self) -> None:
        """Record what is new in the further sessions; to be called about once a second."""
        for each in self._made.values():
            each.deliver()
            self._record(each, each.session)

    def kill(self) -> None:
        """End all workers now, without a goodbye."""
        self._session_controller.client.kill()
        for each in self._made.values():
            each.client.kill()

    def close(self) -> None:
        """Leave, and wait until no further worker is left; what they have said last is recorded."""
        self._leave()  # all at once, before the first is waited for
        for each in self._made.values():
            each.close()
        self.record()

    def _choose(self, devices: Sequence[str], first: str, addresses: Sequence[object]) -> None:
        self.chosen, self._addresses = tuple(devices), frozenset(addresses)
        self._session_controller.pinned_device = first if devices else ""
        for each in self._made.values():
            if each.label not in self.chosen:
                each.leave()

    def _follow(self, before: Session, after: Session) -> None:
        """Begin with the first session; a search at another address is for a run of its own choice."""
        self._share_line()
        opening, consent, agreed = after.opening, after.consent, after.agreed
        is_anew = opening is not before.opening or consent != before.consent
        if not is_anew or not isinstance(opening, Join):
            return
        if consent is None and self.chosen and frozenset(opening.addresses) != self._addresses:
            self._choose((), "", ())
        if consent is None or agreed is None:
            return
        for device in self.chosen:
            if device != consent.device:
                start = msgspec.structs.replace(consent, device=device, micro_batch=None)
                join = msgspec.structs.replace(opening, port=None)  # the first listens there
                pause = self._pauses.pop(device, None)
                self._session_of(device).begin(RunContinued(join, start, agreed, pause, after.switch))

    def _session_of(self, device: str) -> DeviceSession:
        if device not in self._made:
            watch = self.make_watch(device)
            made = DeviceSession(
                device, self._folders, self._availability, watch, self, worker_command=self._worker_command
            )
            made.changed.connect(lambda before, after: self._on_changed(made, before, after))
            made.told.connect(lambda event: self.told.emit(made, event))
            self._made[device] = made
        return self._made[device]

    def _on_changed(self, each: DeviceSession, before: Session, after: Session) -> None:
        if before.phase != after.phase:
            self._record(each, before)  # what it has reported last, before another run can take its place
            self._share_line()
        self.changed.emit(each, before, after)
        is_left = after.phase in ("idle", "ended") or (after.phase == "leaving" and after.pause is None)
        if before.pause != after.pause and not is_left:
            self.pauses_changed.emit()
        if stage_of(before) != stage_of(after):
            self.stage_changed.emit()

    def _record(self, each: DeviceSession, session: Session) -> None:
        """The first session that trains in a run counts its epochs."""
        before = self.all[: self.all.index(each)] if each in self.all else ()
        in_run = (one.session for one in before if one.session.phase == "training")
        is_counted = any(one.joined_run_id == session.joined_run_id for one in in_run)
        self._recording.record_further(session, counts_epochs=not is_counted)

    def _share_line(self) -> None:
        """The owner's limits of the line are for all workers together."""
        count = sum(each.session.is_worker_running for each in self.all)
        for each in self.all:
            each.client.pace.share_line(max(1, count))

    def adapt(self, *, is_seen: bool) -> None:
        """Have the workers report often while the window is seen; else as often as their figures are recorded."""
        for each in self.all:
            each.client.pace.report_every(REPORT_SECONDS if is_seen else RECORD_SECONDS_HIDDEN)

    def _leave(self) -> None:
        for each in self._made.values():
            each.leave()


def _kept(device: str, pause: Pause | None) -> FurtherDevice:
    if pause is None or pause.reason not in ("person", "epoch_finished"):
        return FurtherDevice(device=device)
    return FurtherDevice(device=device, pause=pause.reason, until=pause.until)
