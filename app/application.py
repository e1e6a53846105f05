"""The composition root: makes the parts, joins their signals, and lets them go in order."""

from __future__ import annotations

import contextlib
import gc
import logging
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QGuiApplication, QIcon
from PySide6.QtWidgets import QApplication

from app.controllers.engine_controller import EngineController
from app.controllers.session_controller import SessionController
from app.controllers.storage_alerts import StorageAlerts
from app.controllers.thread_bridge import Bridge
from app.desktop.launch_request import LaunchRequest
from app.shell.first_window import InitialWindow
from app.shell.navigation import Navigator
from app.shell.notices import show_engine_notice
from app.shell.shutdown import GracefulShutdown
from app.shell.tray_controller import TrayController
from core.client.session import Session
from core.errors import ErrorKind, UserError
from core.files.atomic import write_atomically
from core.files.resources import RESOURCES
from core.records.settings import Settings
from core.security.sanitize import sanitize_text
from core.texts.errors import advice_of, title_of

if TYPE_CHECKING:
    from app.controllers.run_recorder import RunRecorder
    from app.controllers.suspend_controller import SuspendController
    from app.controllers.update_controller import Updates
    from app.desktop.single_instance import SingleInstance
    from app.shell.erase_dialog import Removal
    from core.hardware.monitor import DevicesSeen, DeviceWatch

_ICON = RESOURCES / "icons" / "workerbee.svg"
_log = logging.getLogger(__name__)
_SECONDS_HIDDEN, _WORRY_SECONDS = 5, 5
LOOK_SECONDS_SEEN, LOOK_SECONDS_TRAINING, LOOK_SECONDS_HIDDEN = 2.0, 1.0, 7.0


class Application(QObject):
    """Everything that lives as long as the program; ``open`` begins it, ``close`` follows ``finished``."""

    finished = Signal()

    def __init__(
        self,
        front: InitialWindow,
        *,
        instance: SingleInstance | None = None,
        worker_command: Sequence[str] | None = None,
        rehearsal_command: Sequence[str] | None = None,
    ) -> None:
        super().__init__()
        self._front, self._instance = front, instance
        self.folders, self.choices, self.window = front.folders, front.choices, front.window
        self.bridge = Bridge(self)
        commands = {"worker_command": worker_command, "rehearsal_command": rehearsal_command}
        self.helm = SessionController(self.folders, self.bridge, self.choices, self, **commands)
        self.engine_room = EngineController(self.folders, self.bridge, self)
        self.paging = Navigator(front, self.helm, self.engine_room)
        self.presence = TrayController(self.window, self.helm, self.choices)
        self.farewell = GracefulShutdown(self.helm.leave, self._is_left, self.helm.client.kill, self)
        self._memory: RunRecorder | None = None
        self._worries: StorageAlerts | None = None
        self._watch: DeviceWatch | None = None
        self._sleep: SuspendController | None = None
        self.updates: Updates | None = None
        self._removal: Removal | None = None
        self._second = QTimer(self, interval=1000)
        self._seconds = 0
        self._join_signals()

    def open(self, handover: LaunchRequest) -> None:
        """Work behind the front: what a start needs, step by step, so that clicks come between."""
        steps = [
            self._prepare_folders,
            self._say_troubles,
            self.engine_room.look,
            self._open_memory,
            self._watch_devices,
            self._listen,
            lambda: self.take(handover),
            lambda: self.presence.await_tray(is_minimised=handover.is_minimised),
            self._follow_system,
            self._follow_updates,
        ]
        gc.enable()

        def go_on() -> None:
            step = steps.pop(0)
            if steps:
                QTimer.singleShot(0, self, go_on)
            step()

        go_on()

    def take(self, handover: LaunchRequest) -> None:
        """A second start was given this; or the first one."""
        if handover.link:
            self.paging.fill_address(handover.link)
        if handover.run_file:
            self.paging.take_run_file(Path(handover.run_file))

    def quit(self) -> None:
        """Say goodbye where somebody would wait for us, and end."""
        self.farewell.begin()

    def close(self) -> None:
        """After the loop: nothing is left running, nothing unsaved."""
        self.presence.tray.disappear()
        with contextlib.suppress(OSError):
            write_atomically(self._front.place_file, self.window.place())
        if self._watch is not None:
            self._watch.stop()
        self.engine_room.end()
        if self.updates is not None:
            self.updates.end()
        self._end_session()
        if self._removal is not None:
            self._removal.carry_out()
        if self._instance is not None:
            self._instance.close()
        self.window.end()

    def tell(self, error: UserError) -> None:
        """What went wrong, above whatever page is shown."""
        words = f"{sanitize_text(error.detail, 1000)}\n{advice_of(error.problem)}".strip()
        self.window.notice.say("bad", title_of(error.problem), words, error=error.problem)

    def tell_surprise(self) -> None:
        """Something was not foreseen, and has been logged."""
        self.tell(UserError(ErrorKind.INTERNAL, str(self.folders.logs)))

    def _end_session(self) -> None:
        """The worker's last words are heard, and what they tell is noted, although the loop has ended."""
        self.helm.leave()
        self.helm.rehearsals.close()
        self.helm.client.close()
        self.bridge.deliver()
        if self._memory is not None:
            self._note(self.helm.session)
            self._memory.close()

    def _join_signals(self) -> None:
        self.helm.changed.connect(self._session_changed)
        self.helm.refused.connect(self.tell)
        self.bridge.event_arrived.connect(self.paging.show_event)
        self.bridge.devices_arrived.connect(self._devices_seen)
        self.choices.changed.connect(self._settings_changed)
        self.choices.failed.connect(self.tell)
        self.engine_room.changed.connect(self.paging.turn)
        self.engine_room.newer_offered.connect(lambda: show_engine_notice(self.window.notice, self.engine_room.renew))
        self.paging.log_requested.connect(self._open_log)
        self.paging.removal_requested.connect(self._offer_removal)
        self._second.timeout.connect(self._tick)
        self.window.visibility_changed.connect(self._visibility_changed)
        self.window.pause_or_resume_requested.connect(self.helm.pause_or_resume)
        self.presence.quit_requested.connect(self.quit)
        self.farewell.finished.connect(self.finished)

    def _prepare_folders(self) -> None:
        from core.files.logs import set_up_logging

        try:
            self.folders.prepare()
            set_up_logging(self.folders.logs)
        except UserError as error:
            self.tell(error)
        except OSError as error:
            _log.warning("There is no log: %r", error)
        icon = QIcon(str(_ICON))
        QGuiApplication.setWindowIcon(icon)
        self.window.give_icon(icon)

    def _open_memory(self) -> None:
        from app.controllers.run_recorder import RunRecorder

        self._memory = self.paging.memory = RunRecorder(self.folders)
        self.paging.show_recent()
        self._worries = StorageAlerts(self._memory, self.tell, self._take_back)
        self._worries.look()
        self._second.start()

    def _watch_devices(self) -> None:
        from core.hardware.monitor import DeviceWatch

        self._watch = DeviceWatch(self.bridge.post_devices, LOOK_SECONDS_SEEN)
        self._watch.start()
        self._pace_watch()

    def _listen(self) -> None:
        if self._instance is not None and self._instance.listen():
            self._instance.handed_over.connect(self._handed_over)

    def _follow_system(self) -> None:
        from app.controllers.suspend_controller import SuspendController
        from app.desktop.os_signals import OsSignalNotifier

        self._sleep = SuspendController(self.helm, self)
        self._interrupts = OsSignalNotifier(self)
        self._interrupts.arrived.connect(self.quit)
        qt = QGuiApplication.instance()
        assert isinstance(qt, QApplication)
        qt.commitDataRequest.connect(lambda _manager: self.farewell.wait(), Qt.ConnectionType.DirectConnection)
        qt.applicationStateChanged.connect(self._state_changed)
        self.paging.offer_clipboard()

    def _follow_updates(self) -> None:
        from app.controllers.update_controller import Updates

        self.updates = Updates(self._front.choices, self._front.folders, self.bridge, self._front.notify_update, self)
        self.updates.newer_known.connect(self.paging.show_newer)
        self.updates.start()

    def _handed_over(self, handover: LaunchRequest) -> None:
        if handover.activation:
            os.environ["XDG_ACTIVATION_TOKEN"] = handover.activation
        self.take(handover)
        if not handover.is_minimised:
            self.window.come_forward()

    def _session_changed(self, before: Session, after: Session) -> None:
        """What a person waits for is shown at once, the rest with the next tick."""
        is_turn = _is_turn(before, after)
        if is_turn:
            self._note(before)  # what it has told since the last second, before another begins
        if self._memory is not None and self._memory.note_run(after, time.time()):
            self.paging.show_recent()
        self.presence.notify(before, after)
        if self._sleep is not None:
            self._sleep.follow()
        if is_turn:
            self._pace_watch()
            self._show()

    def _show(self) -> None:
        self.paging.turn()
        self.presence.show()

    def _tick(self) -> None:
        """Once a second; the tray, while it is all there is to see, is told less often."""
        self._seconds += 1
        self.bridge.deliver()
        self._note(self.helm.session)
        if self.window.is_seen or self._seconds % _SECONDS_HIDDEN == 0:
            self._show()
        self.paging.show_kept()
        if self._worries is not None and self._seconds % _WORRY_SECONDS == 0:
            self._worries.look()

    def _note(self, session: Session) -> None:
        if self._memory is not None:
            self._memory.note(session, self.helm.device, time.time())

    def _devices_seen(self, seen: DevicesSeen) -> None:
        seen = self.engine_room.usable(seen)
        self.helm.devices = seen.devices
        self.paging.show_devices(seen)

    def _settings_changed(self, before: Settings, after: Settings) -> None:
        self._front.theme.choose(after.theme)
        if after.language != before.language:
            self._front.language.choose(after.language)
            self.paging.translate()
            self.presence.show()
        login = (after.start_at_login, after.start_minimised)
        if login != (before.start_at_login, before.start_minimised):
            self._set_autostart(after)
        self.paging.show_settings()

    def _set_autostart(self, settings: Settings) -> None:
        from app.desktop.autostart import set_autostart

        try:
            set_autostart(settings.start_at_login, is_minimised=settings.start_minimised)
        except UserError as error:
            self.tell(error)

    def _visibility_changed(self, is_seen: bool) -> None:
        self._pace_watch()
        if is_seen and self._memory is not None:
            self._show()
            self.paging.show_kept()

    def _pace_watch(self) -> None:
        """Look often where somebody looks."""
        if self._watch is None:
            return
        if not self.window.is_seen:
            self._watch.period_seconds = LOOK_SECONDS_HIDDEN
        else:
            is_training = self.helm.session.phase == "training"
            self._watch.period_seconds = LOOK_SECONDS_TRAINING if is_training else LOOK_SECONDS_SEEN

    def _state_changed(self, state: Qt.ApplicationState) -> None:
        if state is Qt.ApplicationState.ApplicationActive:
            self.paging.offer_clipboard()

    def _is_left(self) -> bool:
        return self.helm.is_over

    def _say_troubles(self) -> None:
        if self.choices.trouble is not None:
            self.tell(self.choices.trouble)

    def _offer_removal(self) -> None:
        from app.shell.erase_dialog import Removal

        self._removal = Removal(self.folders, self.window)
        self._removal.agreed.connect(self.quit)
        self._removal.ask()

    def _take_back(self, error: UserError) -> None:
        self.window.notice.take_back(title_of(error.problem))

    def _open_log(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self.helm.client.log_file)))


def _is_turn(before: Session, after: Session) -> bool:
    return _moment(before) != _moment(after)


def _moment(session: Session) -> tuple[object, ...]:
    """Whatever a person waits for."""
    return (
        session.phase,
        session.is_search_finished,
        session.problem,
        session.pause,
        session.is_finishing,
        session.restarting,
    )
