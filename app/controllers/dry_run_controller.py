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

_DEBOUNCE_MILLISECONDS = 300  # a run that is only passed by, or started at once, is not measured
_LEAVE_SECONDS = 2.0
_KEPT_RESULTS = 8


class DryRunController(QObject):
    """Measures the run and device that were requested last, and keeps the newest results; main thread only.

    Whoever starts a run need not wait for it: ``micro_batch_for`` returns what is known by then.

    Signals:
        changed: ``session`` is another one.
    """

    changed = Signal()

    def __init__(
        self,
        folders: Folders,
        settings_store: SettingsStore,
        parent: QObject | None = None,
        *,
        worker_command: Sequence[str] | None = None,
    ) -> None:
        super().__init__(parent)
        self._settings_store = settings_store
        self._bridge = Bridge(self)
        self._bridge.event_arrived.connect(self._on_event)
        self._client = Client(
            folders,
            self._bridge.post_event,
            worker_command=worker_command,
            leave_limit_seconds=_LEAVE_SECONDS,
        )
        self._requested: DryRun | None = None
        self._results: list[Session] = []
        self._delay = QTimer(self, singleShot=True, interval=_DEBOUNCE_MILLISECONDS)
        self._delay.timeout.connect(self._start)

    @property
    def session(self) -> Session:
        """The session of the dry run that was requested, under way or ended; an idle one where there is none."""
        sessions = [self._client.session, *self._results]
        requested = (each for each in sessions if self._requested is not None and each.opening == self._requested)
        return next((each for each in requested if not _is_broken_off(each)), Session())

    def request(self, run: RunFound, device: Device) -> None:
        """Measure that run on that device; a result that is kept is used at once."""
        settings = self._settings_store.settings
        requested = DryRun(
            manifest=run.manifest,
            device=device.label,
            threads=settings.threads,
            memory_limit_bytes=settings.memory_limit_bytes,
        )
        if requested != self._requested:
            self.stop()
            self._requested = requested
            self._delay.start()
            self.changed.emit()

    def stop(self) -> None:
        """Stop the dry run: nobody looks at it any more, or its device is needed."""
        self._requested = None
        self._delay.stop()
        self._client.leave()

    def close(self) -> None:
        """Stop, and wait until the worker has ended; for the program's end."""
        self.stop()
        self._client.close()

    def micro_batch_for(self, run: RunFound) -> int | None:
        """The micro-batch that was measured to fit that run; ``None`` where nothing is known."""
        fit = self.session.fit
        is_same = self._requested is not None and self._requested.manifest == run.manifest
        return fit.micro_batch or None if fit is not None and is_same else None

    def _start(self) -> None:
        """Start what was requested, unless it is measured already or another one must end first."""
        is_free = self._client.session.phase in ("idle", "ended")
        if is_free and self._requested is not None and self.session == Session():
            self._client.ask(self._requested)
            self.changed.emit()

    def _on_event(self, event: ClientEvent) -> None:
        self._client.handle(event)
        session = self._client.session
        if session.phase == "ended":
            if not _is_broken_off(session):
                self._results = [*self._results, session][-_KEPT_RESULTS:]
            if not self._delay.isActive():
                self._start()
        self.changed.emit()


def _is_broken_off(session: Session) -> bool:
    """Whether it has ended without a result and without an error."""
    return session.phase == "ended" and session.fit is None and session.problem is None
