"""The dry run of the run that a person looks at: a second client beside the volunteer's."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, QTimer, Signal

from app.controllers.settings_store import SettingsStore
from app.controllers.thread_bridge import Bridge
from core.client.client import Client
from core.client.session import Session
from core.files.folders import Folders
from core.hardware.device import Device
from core.protocol.client_events import ClientEvent
from core.protocol.commands import DryRun
from core.protocol.events import RunFound

_SETTLED_MILLISECONDS = 300  # a run that is only passed by, or started at once, is not measured
_LEAVE_SECONDS = 2.0
_KEPT = 8


class DryRunController(QObject):
    """Main thread only. ``session`` is the picture of the dry run that is wanted now; idle, if there is none.

    Whoever presses Start need not wait for it: ``micro_batch_for`` tells what is known by then.
    """

    changed = Signal()

    def __init__(
        self,
        folders: Folders,
        choices: SettingsStore,
        parent: QObject | None = None,
        *,
        worker_command: Sequence[str] | None = None,
    ) -> None:
        super().__init__(parent)
        self._choices = choices
        self._bridge = Bridge(self)
        self._bridge.event_arrived.connect(self._take)
        self._client = Client(
            folders,
            self._bridge.post_event,
            worker_command=worker_command,
            leave_limit_seconds=_LEAVE_SECONDS,
        )
        self._wanted: DryRun | None = None
        self._done: list[Session] = []
        self._soon = QTimer(self, singleShot=True, interval=_SETTLED_MILLISECONDS)
        self._soon.timeout.connect(self._begin)

    @property
    def session(self) -> Session:
        """Of the dry run that is wanted: as it goes, or as it ended."""
        pictures = [self._client.session, *self._done]
        wanted = (each for each in pictures if self._wanted is not None and each.opening == self._wanted)
        return next((each for each in wanted if not _is_broken_off(each)), Session())

    def want(self, run: RunFound, device: Device) -> None:
        """A person looks at that run and that device; what was found before is found again at once."""
        settings = self._choices.settings
        wanted = DryRun(
            manifest=run.manifest,
            device=device.label,
            threads=settings.threads,
            memory_limit_bytes=settings.memory_limit_bytes,
        )
        if wanted != self._wanted:
            self.stop()
            self._wanted = wanted
            self._soon.start()
            self.changed.emit()

    def stop(self) -> None:
        """Nobody looks any more, or the device is needed: end it, whatever it is at."""
        self._wanted = None
        self._soon.stop()
        self._client.leave()

    def close(self) -> None:
        """Wait until nothing is left of it; for the program's end."""
        self.stop()
        self._client.close()

    def micro_batch_for(self, run: RunFound) -> int | None:
        """What is known to fit, if anything is."""
        fit = self.session.fit
        is_same = self._wanted is not None and self._wanted.manifest == run.manifest
        return fit.micro_batch or None if fit is not None and is_same else None

    def _begin(self) -> None:
        """Unless it has been done, or another one must end first."""
        is_free = self._client.session.phase in ("idle", "ended")
        if is_free and self._wanted is not None and self.session == Session():
            self._client.dry_run(self._wanted)
            self.changed.emit()

    def _take(self, event: ClientEvent) -> None:
        self._client.handle(event)
        session = self._client.session
        if session.phase == "ended":
            if not _is_broken_off(session):
                self._done = [*self._done, session][-_KEPT:]
            if not self._soon.isActive():
                self._begin()
        self.changed.emit()


def _is_broken_off(session: Session) -> bool:
    """Whether it has ended and says nothing."""
    return session.phase == "ended" and session.fit is None and session.problem is None
