"""The volunteer's session: what a person wishes is passed to the client, and every change is emitted."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from app.controllers.device_poller import DevicePoller
from app.controllers.dry_run_controller import DryRunController
from app.controllers.settings_store import SettingsStore
from app.controllers.thread_bridge import Bridge
from core.client.client import Client
from core.client.event_timestamps import EventTimestamps
from core.client.session import Session
from core.errors import UserError
from core.files.folders import Folders
from core.hardware.device import Device
from core.hardware.discovery import choose_device
from core.protocol.client_events import ClientEvent, PauseAsked, ResumeAsked, RunContinued
from core.protocol.commands import Join
from core.protocol.events import RunFound
from core.records.consents import Consents
from core.run.address import JoinAddress
from core.run.manifest import RunManifest
from core.suspend.suspend_pause import SuspendPause
from core.texts.run import closed_words

AUTOMATIC = "auto"


@dataclass(frozen=True)
class OpenedRunFile:
    """A run file that a person has opened: its name, and the run that it describes."""

    name: str
    manifest: RunManifest


class SessionController(QObject):
    """Passes a person's wishes to the client; main thread only.

    Signals:
        changed: the session before and after any event.
        stage_changed: the same two, where something differs that a person waits for; emitted after ``changed``.
        told: an event of the client.
        refused: a run cannot be started (a UserError).
        overruled: the person wishes to go on at once, whatever asks for a pause.
        left: the person has left the run for good, or looks for another one.
        interrupted: the run is left because the program ends, or the person has left it.
        reason_ignored: the person wishes the reason of the pause to be ignored until midnight.

    Attributes:
        client: the client, whose worker trains.
        dry_runs: the client beside it, whose worker measures what fits.
        timestamps: when the session's newest events were seen.
        consents: what the person has agreed to, also in earlier sessions.
        run_file: the run file for the address on the join page, if one was opened, until a run is started.
        pinned_device: the device that was shown when others were chosen beside it; else empty.
    """

    changed = Signal(object, object)
    stage_changed = Signal(object, object)
    told = Signal(object)
    refused = Signal(object)
    overruled = Signal()
    left = Signal()
    interrupted = Signal()
    reason_ignored = Signal()

    def __init__(
        self,
        folders: Folders,
        bridge: Bridge,
        settings_store: SettingsStore,
        device_poller: DevicePoller,
        parent: QObject | None = None,
        *,
        worker_command: Sequence[str] | None = None,
        dry_run_command: Sequence[str] | None = None,
    ) -> None:
        super().__init__(parent)
        self.client = Client(folders, bridge.post_event, worker_command=worker_command)
        command = dry_run_command or worker_command
        self.dry_runs = DryRunController(folders, settings_store, self, worker_command=command)
        self.timestamps = EventTimestamps()
        self.consents = Consents(folders.contents.consents_file)
        self.run_file: OpenedRunFile | None = None
        self.pinned_device = ""
        self._settings_store, self._device_poller = settings_store, device_poller
        self._when_over: Callable[[], None] | None = None
        self._suspend_pause = SuspendPause(lambda: self.session, self._ask)
        self._goes_on_with: RunFound | None = None
        self._post = bridge.post_event
        bridge.event_arrived.connect(self._on_event)

    @property
    def session(self) -> Session:
        """The session as it is now."""
        return self.client.session

    @property
    def is_over(self) -> bool:
        """Whether nothing of a run is left: neither a connection nor a worker."""
        return self.session.phase in ("idle", "ended")

    @property
    def device(self) -> Device | None:
        """The device that trains, as it was measured last."""
        consent = self.session.consent
        return self.device_called(consent.device) if consent is not None else None

    def device_called(self, label: str) -> Device | None:
        """The device of that label, as it was measured last; ``None`` where it is not there."""
        return next((each for each in self._device_poller.devices if each.label == label), None)

    @property
    def device_wish(self) -> str:
        """The device to train on, as the settings name it; ``auto`` may change its mind, what is pinned does not."""
        wish = self._settings_store.settings.device
        return self.pinned_device if self.pinned_device and wish == AUTOMATIC else wish

    def join(self, address: JoinAddress, manifest: RunManifest | None = None) -> None:
        """Look for runs at that address; another run is left first. A given manifest stands in for a published one."""
        self._goes_on_with = None
        run_id = address.run_id or (manifest.run.id if manifest else None)
        settings = self._settings_store.settings

        def start_search() -> None:
            network, port = settings.network, settings.port
            self.client.join(address, run_id=run_id, network=network, port=port, manifest=manifest, waits_for_room=True)

        if self.session.phase != "idle":
            self.left.emit()
        self._begin_anew(start_search)

    def go_on_with(self, event: RunContinued) -> None:
        """Go on with another run that was agreed to, once the present one is left; the person has left neither."""
        self._goes_on_with = None
        self._begin_anew(lambda: self._post(event))

    def join_again(self) -> None:
        """Join the run of this session from the beginning, and train unasked if it is still what was agreed to."""
        opening, agreed = self.session.opening, self.session.agreed
        if isinstance(opening, Join):
            run_id = self.session.joined_run_id or opening.run_id
            self.join(JoinAddress(peers=opening.addresses, run_id=run_id), opening.manifest)
            self._goes_on_with = agreed

    def request_dry_run(self, run: RunFound, device: Device) -> None:
        """Measure how much of the run fits while a person decides; never beside training, nor against the rules."""
        if self.session.phase == "found" and self.session.availability.is_free:
            self.dry_runs.request(run, device)

    def start(self, run: RunFound) -> None:
        """Train in that run on the device of the settings; ``refused`` is emitted if it is not there.

        What a dry run has measured by now is used; one that is under way is stopped.
        """
        micro_batch = self.dry_runs.micro_batch_for(run)
        self.dry_runs.stop()
        settings = self._settings_store.settings
        try:
            device = choose_device(self._device_poller.devices, self.device_wish)
        except UserError as error:
            self.refused.emit(error)
            return
        self._apply(
            lambda: self.client.start(
                run,
                device=device.label,
                threads=settings.threads,
                public_name=settings.public_name or "",
                disclosure=settings.disclosure,
                disk_limit_bytes=settings.disk_limit_bytes,
                memory_limit_bytes=settings.memory_limit_bytes,
                micro_batch=micro_batch,
                role=settings.expert_role,
                hosted_experts=settings.hosted_experts,
            )
        )
        self.consents.remember(run, time.time())
        self.run_file = None

    def agreed_manifest(self, run: RunFound) -> RunManifest | None:
        """What the person has agreed to of that run before, in this session or an earlier one."""
        agreed, consent = self.session.agreed, self.consents.of(run)
        if agreed is not None and (agreed.manifest.run.id, agreed.organiser) == (run.manifest.run.id, run.organiser):
            return agreed.manifest
        return consent.shown if consent is not None else None

    def pause(self, seconds: float | None = None) -> None:
        """Pause for so many seconds, or until the person resumes."""
        self._suspend_pause.forget()
        until = None if seconds is None else time.time() + seconds
        self._apply(lambda: self.client.pause(until=until))

    def resume(self) -> None:
        """Go on after a pause, even if the owner's rules ask for one."""
        self.overruled.emit()
        self._apply(self.client.resume)

    def ignore_reason(self) -> None:
        """Ignore the rule that asks for the pause until midnight."""
        self.reason_ignored.emit()

    def pause_or_resume(self) -> None:
        """Pause a run that trains, resume one that is paused."""
        if self.session.phase == "paused":
            self.resume()
        elif self.is_at_work:
            self.pause()

    def finish_epoch(self) -> None:
        """Stop after this epoch; the second call takes that back."""
        self._apply(lambda: self.client.finish_epoch(not self.session.is_finishing))

    def test_network(self) -> None:
        """Test again whether others can reach this computer."""
        self._apply(self.client.test_network)

    def leave(self) -> None:
        """Leave the run for good, with a goodbye to the others."""
        self.left.emit()
        self.interrupt()

    def interrupt(self) -> None:
        """Say goodbye to the others because the program ends, though the person has not left the run."""
        self.interrupted.emit()
        self._when_over = None
        self._apply(self.client.leave)

    def close(self) -> None:
        """Leave, and wait until neither worker runs; their last events are left for the bridge to deliver."""
        self.interrupt()
        self.dry_runs.close()
        self.client.close()

    def prepare_suspend(self) -> bool:
        """Leave the run because the computer is about to be suspended; whether there is anything to wait for."""
        self._suspend_pause.prepare(is_at_work=self.is_at_work)
        return not self.may_suspend

    @property
    def may_suspend(self) -> bool:
        """Whether the computer may be suspended without anybody in the swarm waiting for it."""
        return self._suspend_pause.may_suspend

    def resume_after_suspend(self) -> None:
        """Join the run again that was left for a suspend, or that was connected all through it."""
        self._suspend_pause.end(is_at_work=self.is_at_work)

    @property
    def is_at_work(self) -> bool:
        """Whether a run that the person has started goes on, so that it can be paused."""
        return self.session.is_at_work

    def _on_event(self, event: ClientEvent) -> None:
        self._apply(lambda: self.client.handle(event))
        self.told.emit(event)
        if not self.session.availability.is_free:
            self.dry_runs.stop()

    def _begin_anew(self, begin: Callable[[], None]) -> None:
        """Leave what goes on, if anything does, and begin another session when that has ended."""
        if self.is_over:
            self._apply(begin)
        else:
            self._when_over = begin
            self._apply(self.client.leave)

    def _ask(self, wish: PauseAsked | ResumeAsked) -> None:
        self._apply(lambda: self.client.handle(wish))

    def _apply(self, action: Callable[[], None]) -> None:
        """Do that to the client, and emit what it has changed."""
        before = self.session
        action()
        after = self.session
        if after is not before:
            self.timestamps = self.timestamps.after(after, time.time())
            self.changed.emit(before, after)
            if stage_of(before) != stage_of(after):
                self.stage_changed.emit(before, after)
        self._continue_pending()

    def _continue_pending(self) -> None:
        """Do what has waited for the end of the session, or for the end of a suspend."""
        if self._when_over is not None and self.is_over:
            action, self._when_over = self._when_over, None
            self._apply(action)
        self._go_on_as_agreed()
        self._suspend_pause.go_on()

    def _go_on_as_agreed(self) -> None:
        """Train in the run that is joined again, unless it has become another; then the review waits for the person."""
        before, session = self._goes_on_with, self.session
        if before is None or session.phase != "found" or not session.is_search_finished:
            return
        self._goes_on_with = None
        run = session.found(before.manifest.run.id, before.organiser)
        if run is not None and not closed_words(run) and self.consents.cover(run):
            self.start(run)


def stage_of(session: Session) -> tuple[object, ...]:
    """What a person waits for; the rest may be drawn a second later."""
    return (
        session.phase,
        session.is_search_finished,
        session.problem,
        session.pause,
        session.availability,
        session.is_finishing,
        session.restarting,
    )
