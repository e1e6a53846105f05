"""The run that the end of the program has interrupted: after the next start it goes on by itself."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject, QTimer, Signal

from app.controllers.availability_controller import AvailabilityController
from app.controllers.device_poller import DevicePoller
from app.controllers.devices.device_sessions import DeviceSessions
from app.controllers.session_controller import SessionController
from app.controllers.settings_store import SettingsStore
from app.controllers.thread_bridge import Bridge
from core.client.session import Session
from core.errors import UserError
from core.files.folders import Folders, service_unit_file
from core.files.locks import is_locked
from core.records.unfinished_run import RETRY_SECONDS, UnfinishedRun, UnfinishedRunFile, continuation

_POLL_MILLISECONDS = 100
_PATIENCE_SECONDS = 5.0  # with an observer or a driver that hangs


class RunContinuation(QObject):
    """Keeps on the disk which run is contributed to, and goes on with it after a start; main thread only.

    A run that its owner has left, or has ended by quitting, is not kept. What the end of the desktop's session, a
    signal or a power cut has ended, is.

    Signals:
        consent_needed: the run is another one than was agreed to, and waits for a person on the review page.
    """

    consent_needed = Signal()

    def __init__(
        self,
        folders: Folders,
        session_controller: SessionController,
        device_sessions: DeviceSessions,
        settings_store: SettingsStore,
        device_poller: DevicePoller,
        availability: AvailabilityController,
        bridge: Bridge,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._folders, self._session_controller, self._settings_store = folders, session_controller, settings_store
        self._device_sessions = device_sessions
        self._device_poller, self._availability, self._bridge = device_poller, availability, bridge
        self._file = UnfinishedRunFile(folders.contents.unfinished_run_file)
        self._run: UnfinishedRun | None = None
        self._is_continued = False
        self._timer = QTimer(self, interval=_POLL_MILLISECONDS)
        self._timer.timeout.connect(self._poll)
        self._deadline = 0.0
        self._retry = QTimer(self, interval=round(1000 * RETRY_SECONDS), singleShot=True)
        self._retry.timeout.connect(self._keep)
        session_controller.changed.connect(self._follow)
        device_sessions.pauses_changed.connect(self._keep)
        session_controller.left.connect(self.forget)

    def start(self) -> None:
        """Go on with the run that was interrupted, if there is one, as soon as the rules and the devices are known."""
        run = self._file.load()
        if run is None or self._is_served():
            return
        self._run = run
        self._device_sessions.choose_again(run.further_devices, run.device, run.addresses)
        self._deadline = time.monotonic() + _PATIENCE_SECONDS
        self._device_poller.listed.connect(self._poll)
        self._timer.start()
        self._poll()

    def forget(self) -> None:
        """The owner has left the run, or quits: it does not go on by itself."""
        self._stop_waiting()
        self._file.forget()

    def close(self) -> None:
        """Wait for nothing any more; what is kept stays."""
        self._stop_waiting()
        self._retry.stop()

    def _is_served(self) -> bool:
        """Whether the service of the command line is installed, or runs: it goes on, and two would be too many."""
        try:
            return service_unit_file().is_file() or is_locked(self._folders.contents.service_lock)
        except UserError:
            return False  # whatever is wrong with the folder is told by whoever needs it

    def _poll(self) -> None:
        """Wait for the devices, and for the first look at them, so that no rule has to pause what was just started."""
        if not self._device_poller.devices:
            return
        if self._availability.has_decided() or time.monotonic() > self._deadline:
            self._timer.stop()
            QTimer.singleShot(0, self, self._continue)  # after the decision, which has been posted

    def _continue(self) -> None:
        controller, run = self._session_controller, self._run
        if run is None or not controller.is_over:
            self._stop_waiting()
            return
        try:
            event = continuation(
                run, controller.consents, self._settings_store.settings, self._device_poller.devices, self._folders
            )
        except UserError as error:
            self._wait_for_device(error)
            return
        self._stop_waiting()
        self._is_continued = True
        if event is not None:
            self._bridge.post_event(event)
        else:
            controller.join(run.address, run.manifest)

    def _wait_for_device(self, error: UserError) -> None:
        """A slow driver may list it in a moment; after that it is looked for whenever the list changes."""
        if time.monotonic() < self._deadline:
            self._timer.start()
        else:
            self._session_controller.refused.emit(error)

    def _stop_waiting(self) -> None:
        self._run = None
        self._timer.stop()

    def _keep(self) -> None:
        if not self._file.follow(self._session_controller.session, self._device_sessions.kept):
            self._retry.start()

    def _follow(self, _before: Session, after: Session) -> None:
        self._keep()
        is_asked = after.phase == "found" and after.is_search_finished and after.consent is None
        if self._is_continued and is_asked:
            self._is_continued = False
            self.consent_needed.emit()
        elif after.phase == "training":
            self._is_continued = False
