"""What a person's wishes do to the client; and the one signal that follows whatever happened."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal

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
from core.protocol.client_events import ClientEvent
from core.protocol.commands import Join
from core.protocol.events import RunFound
from core.run.address import JoinAddress
from core.run.manifest import RunManifest

_AT_WORK = ("connecting", "starting", "training")


class SessionController(QObject):
    """Main thread only. ``changed`` tells the session before and the session now."""

    changed = Signal(object, object)
    refused = Signal(object)

    def __init__(
        self,
        folders: Folders,
        bridge: Bridge,
        choices: SettingsStore,
        parent: QObject | None = None,
        *,
        worker_command: Sequence[str] | None = None,
        rehearsal_command: Sequence[str] | None = None,
    ) -> None:
        super().__init__(parent)
        self.client = Client(folders, bridge.post_event, worker_command=worker_command)
        words = rehearsal_command or worker_command
        self.rehearsals = DryRunController(folders, choices, self, worker_command=words)
        self.moments = EventTimestamps()
        self.manifest: RunManifest | None = None
        self.devices: tuple[Device, ...] = ()
        self._choices = choices
        self._then: Callable[[], None] | None = None
        self._is_wake_due = False
        bridge.event_arrived.connect(self._take)

    @property
    def session(self) -> Session:
        """The picture as it is now."""
        return self.client.session

    @property
    def is_over(self) -> bool:
        """Whether nothing of a run is left."""
        return self.session.phase in ("idle", "ended")

    @property
    def device(self) -> Device | None:
        """The one that trains, as it was seen last."""
        consent = self.session.consent
        return next((each for each in self.devices if consent and each.label == consent.device), None)

    def join(self, address: JoinAddress) -> None:
        """Look for runs there; another run is left first."""
        manifest = self.manifest
        run_id = address.run_id or (manifest.run.id if manifest else None)
        settings = self._choices.settings

        def begin() -> None:
            self.client.join(address, run_id=run_id, network=settings.network, port=settings.port, manifest=manifest)

        self._once_free(begin)

    def join_again(self) -> None:
        """The run of this session, from the beginning."""
        opening, consent = self.session.opening, self.session.consent
        if isinstance(opening, Join):
            self.manifest = opening.manifest
            run_id = consent.run_id if consent else opening.run_id
            self.join(JoinAddress(peers=opening.addresses, run_id=run_id))

    def try_out(self, run: RunFound, device: Device) -> None:
        """Measure how much of it fits, while a person decides; never beside training."""
        if self.session.phase == "found":
            self.rehearsals.want(run, device)

    def start(self, run: RunFound) -> None:
        """Train in it, with the device of the settings; ``refused`` if there is no such device.

        With what a dry run has found by now; one that is under way makes room.
        """
        micro_batch = self.rehearsals.micro_batch_for(run)
        self.rehearsals.stop()
        settings = self._choices.settings
        try:
            device = choose_device(self.devices, settings.device)
        except UserError as error:
            self.refused.emit(error)
            return
        self._do(
            lambda: self.client.start(
                run,
                device=device.label,
                threads=settings.threads,
                public_name=settings.public_name or "",
                disk_limit_bytes=settings.disk_limit_bytes,
                memory_limit_bytes=settings.memory_limit_bytes,
                micro_batch=micro_batch,
            )
        )

    def pause(self, seconds: float | None = None) -> None:
        """For so long, or until the person resumes."""
        self._is_wake_due = False
        until = None if seconds is None else time.time() + seconds
        self._do(lambda: self.client.pause(until=until))

    def resume(self) -> None:
        """Go on."""
        self._do(self.client.resume)

    def pause_or_resume(self) -> None:
        """Whichever makes sense."""
        if self.session.phase == "paused":
            self.resume()
        elif self._is_at_work:
            self.pause()

    def finish_epoch(self) -> None:
        """Stop after this epoch; or, asked again, do not."""
        self._do(lambda: self.client.finish_epoch(not self.session.is_finishing))

    def test_network(self) -> None:
        """Whether others can reach this computer by now."""
        self._do(self.client.test_network)

    def leave(self) -> None:
        """Say goodbye for good."""
        self._then = None
        self._do(self.client.leave)

    def sleep(self) -> bool:
        """The computer is about to sleep; whether there is anything to wait for."""
        if self._is_at_work:
            self._do(lambda: self.client.pause(reason="sleep"))
        return not self.is_asleep

    @property
    def is_asleep(self) -> bool:
        """Whether the computer may sleep without anybody waiting for us."""
        return self.session.phase not in (*_AT_WORK, "leaving")

    def wake(self) -> None:
        """The computer is awake again; a run that slept through it must be joined anew."""
        if self._is_at_work and not self.session.restarting:
            self._do(lambda: self.client.pause(reason="sleep"))
        self._is_wake_due = True
        self._follow_up()

    @property
    def _is_at_work(self) -> bool:
        return self.session.consent is not None and self.session.phase in _AT_WORK

    def _take(self, event: ClientEvent) -> None:
        self._do(lambda: self.client.handle(event))

    def _do(self, deed: Callable[[], None]) -> None:
        """Do it, and tell what came of it."""
        before = self.session
        deed()
        if self.session is not before:
            self.moments = self.moments.after(self.session, time.time())
            self.changed.emit(before, self.session)
        self._follow_up()

    def _once_free(self, deed: Callable[[], None]) -> None:
        if self.is_over:
            self._do(deed)
        else:
            self._do(self.client.leave)
            self._then = deed

    def _follow_up(self) -> None:
        """What waited for the session's end, or for the end of a pause."""
        if self._then is not None and self.is_over:
            deed, self._then = self._then, None
            self._do(deed)
        pause = self.session.pause
        if self._is_wake_due and (pause is None or self.session.phase == "paused"):
            self._is_wake_due = False
            if pause is not None and pause.reason == "sleep":
                self.resume()
