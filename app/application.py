"""The composition root: makes the parts, connects their signals, and ends them in order."""

from __future__ import annotations

import contextlib
import gc
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QIcon

from app.controllers.availability_controller import AvailabilityController, computer_watch
from app.controllers.catalogues.catalogue_controller import CatalogueController
from app.controllers.device_poller import DevicePoller
from app.controllers.devices.device_sessions import DeviceSessions
from app.controllers.devices.remote_control import RemoteControl
from app.controllers.engine_controller import EngineController
from app.controllers.navigator import Navigator
from app.controllers.organiser.exporter import ModelExporter
from app.controllers.organiser.fleet_watcher import FleetWatcher
from app.controllers.recording_controller import RecordingController
from app.controllers.session_controller import SessionController
from app.controllers.thread_bridge import Bridge
from app.desktop.launch_request import LaunchRequest
from app.run_continuation import RunContinuation
from app.run_order.controller import RunOrderController
from app.shell.address_intake import AddressIntake
from app.shell.erase_dialog import EraseDialog
from app.shell.first_window import InitialWindow
from app.shell.notices import Notices
from app.shell.page_factory import PageFactory
from app.shell.refresh_timer import RefreshTimer
from app.shell.renderer import WindowRenderer
from app.shell.settings_effects import SettingsEffects
from app.shell.shutdown import GracefulShutdown
from app.shell.tray_controller import TrayController
from core.errors import UserError
from core.files.atomic import write_atomically
from core.files.resources import RESOURCES
from core.records.pauses import PauseLog
from core.records.traffic_log import TrafficLog
from core.run_order.engine import RunKey

if TYPE_CHECKING:
    from app.controllers.update_controller import UpdateController
    from app.desktop.single_instance import SingleInstance
    from app.shell.system_events import SystemEvents
    from core.client.computer_watch import ComputerWatch
    from core.updates.notice import UpdateNotice

_log = logging.getLogger(__name__)


class Application(QObject):
    """Everything that lives as long as the program; no other module knows it.

    ``open`` starts the parts one after the other behind the window that is shown already, ``quit`` leaves the run,
    and ``close`` is called once ``finished`` has ended Qt's loop.

    Signals:
        finished: the run is left, and nothing waits for this program any more.
    """

    finished = Signal()

    def __init__(
        self,
        initial_window: InitialWindow,
        *,
        instance: SingleInstance | None = None,
        worker_command: Sequence[str] | None = None,
        dry_run_command: Sequence[str] | None = None,
        watch: ComputerWatch | None = None,
    ) -> None:
        """``watch`` is what looks at the computer for the owner's rules."""
        super().__init__()
        self._initial_window, self._instance = initial_window, instance
        self.system_events: SystemEvents | None = None
        self._is_closed = False
        self.folders, self.settings_store = initial_window.folders, initial_window.settings_store
        self.window = initial_window.window
        self._make_controllers(worker_command, dry_run_command)
        self._make_availability(watch)
        self._make_device_sessions(worker_command)
        self._make_shell()
        self._connect_session()
        self._connect_window()
        self._connect_errors()

    def _make_controllers(self, worker_command: Sequence[str] | None, dry_run_command: Sequence[str] | None) -> None:
        self.bridge = Bridge(self)
        self.engine_controller = EngineController(self.folders, self.bridge, self)
        self.device_poller = DevicePoller(self.bridge, self.engine_controller.usable_devices, self)
        self.session_controller = SessionController(
            self.folders,
            self.bridge,
            self.settings_store,
            self.device_poller,
            self,
            worker_command=worker_command,
            dry_run_command=dry_run_command,
        )
        self.recording = RecordingController(self.folders, self.session_controller, self)
        self.fleet_watcher = FleetWatcher(self.folders, self, worker_command=worker_command)
        self.exporter = ModelExporter(self.folders, self, worker_command=worker_command)
        self.navigator = Navigator(self.session_controller, self.engine_controller, self)
        self.run_order = RunOrderController(
            self.folders,
            self.session_controller,
            self.settings_store,
            self.device_poller,
            self.bridge,
            self,
            worker_command=worker_command,
        )
        self.catalogues = CatalogueController(self.folders, self.bridge, self)
        self.updates: UpdateController | None = None

    def _make_availability(self, watch: ComputerWatch | None) -> None:
        watch = watch or computer_watch(self.folders, self.settings_store, lambda: self.availability.gpus)
        kept = self.folders.contents
        pauses, traffic = PauseLog(kept.pauses_file), TrafficLog(kept.traffic_file)
        shared = self.bridge, self.settings_store, self.session_controller, self.device_poller
        self.availability = AvailabilityController(watch, pauses, traffic, *shared, self)

    def _make_device_sessions(self, worker_command: Sequence[str] | None) -> None:
        shared = self.session_controller, self.availability, self.recording, self.device_poller
        self.device_sessions = DeviceSessions(self.folders, *shared, self, worker_command=worker_command)
        self.remote_control = RemoteControl(self.device_sessions, self)
        self.continuation = RunContinuation(
            self.folders,
            self.session_controller,
            self.device_sessions,
            self.settings_store,
            self.device_poller,
            self.availability,
            self.bridge,
            self,
        )

    def _make_shell(self) -> None:
        self.notices = Notices(self.window)
        self._erase_dialog = EraseDialog(self.folders, self.bridge, self.window)
        self.pages = PageFactory(
            self._initial_window.join_page,
            session_controller=self.session_controller,
            device_sessions=self.device_sessions,
            engine_controller=self.engine_controller,
            settings_store=self.settings_store,
            device_poller=self.device_poller,
            availability=self.availability,
            recording=self.recording,
            fleet_watcher=self.fleet_watcher,
            exporter=self.exporter,
            navigator=self.navigator,
            catalogues=self.catalogues,
            run_order=self.run_order,
            bridge=self.bridge,
            folders=self.folders,
            newest_version=self._newest_version,
            erase_data=self._erase_dialog.open,
        )
        window, sessions, first = self.window, self.device_sessions, self.session_controller
        self.renderer = WindowRenderer(window, self.pages, self.navigator, sessions, self.fleet_watcher)
        self.intake = AddressIntake(window, self.pages, self.navigator, sessions)
        self.tray_controller = TrayController(window, sessions, self.settings_store)
        self.shutdown = GracefulShutdown(first.interrupt, lambda: sessions.is_over, sessions.kill, self)
        self._settings_effects = SettingsEffects(
            self.settings_store, self._initial_window.theme, self._initial_window.language, self
        )
        self._timer = RefreshTimer(lambda: self.window.is_seen, self)

    def open(self, request: LaunchRequest) -> None:
        """Start the parts, one a turn of Qt's loop, so that clicks in the window are answered in between."""
        steps = [
            self._prepare_folders,
            self.engine_controller.look_up,
            self._open_recording,
            self.device_poller.start,
            self._listen,
            lambda: self.intake.open(request),
            lambda: self.tray_controller.await_tray(self._initial_window.start_mode(request)),
            self._follow_system,
            self.availability.start,
            lambda: self._continue_run(request),
            self._follow_updates,
            gc.freeze,  # what a start makes remains; no later collection has to look through it
            gc.enable,
        ]

        def run_step() -> None:
            step = steps.pop(0)
            if steps:
                QTimer.singleShot(0, self, run_step)
            step()

        run_step()

    def quit(self) -> None:
        """Leave the run for good where there is one, and end."""
        self.continuation.forget()
        self.shutdown.start()

    def close(self) -> None:
        """End every part, after Qt's loop: nothing is left running, nothing unsaved. The second call does nothing.

        Qt deletes all in its next turn, as Python could not: its garbage collector cannot see what slots refer to.
        """
        if self._is_closed:
            return
        self._is_closed = True
        self._timer.stop()
        self.continuation.close()
        self.tray_controller.close()
        with contextlib.suppress(OSError):
            write_atomically(self._initial_window.geometry_file, self.window.geometry_bytes())
        for poller in (self.device_poller, self.engine_controller, self.catalogues, self.updates):
            if poller is not None:
                poller.stop()
        for owner in (self.run_order, self.fleet_watcher, self.exporter, self.device_sessions, self.session_controller):
            owner.close()
        self.bridge.deliver()  # the worker's last words, which tell of its last samples
        self.availability.stop()  # which every change of the session has begin again
        self.recording.close()
        self._erase_dialog.erase_if_agreed()
        for outside in (self._instance, self.system_events):
            if outside is not None:
                outside.close()
        self.window.close_for_good()
        self.pages.close()
        self.window.deleteLater()
        self.deleteLater()

    def _connect_session(self) -> None:
        self.session_controller.changed.connect(self.tray_controller.notify)
        for sessions in (self.session_controller, self.device_sessions):
            sessions.stage_changed.connect(self._draw)
        self.session_controller.dry_runs.changed.connect(self.renderer.render)
        self._timer.record_due.connect(self.bridge.deliver)
        self._timer.record_due.connect(self.recording.record)
        self._timer.record_due.connect(self.device_sessions.record)
        self._timer.redraw_due.connect(self._draw)
        self._timer.check_due.connect(self.recording.poll_storage)

    def _connect_window(self) -> None:
        for shown in (self.navigator, self.engine_controller, self.settings_store, self.fleet_watcher):
            shown.changed.connect(self.renderer.render)
        self.device_poller.listed.connect(self.renderer.render)
        self._settings_effects.language_changed.connect(self.renderer.retranslate)
        self._settings_effects.language_changed.connect(self.tray_controller.refresh)
        self.window.visibility_changed.connect(self._draw)
        self.window.back_requested.connect(self._go_back)
        self.window.help_requested.connect(lambda error: self.pages.help.open(error))
        self.window.settings_requested.connect(self.navigator.open_settings)
        self.window.organise_requested.connect(self.navigator.open_organise)
        self.window.contributions_requested.connect(self.navigator.open_contributions)
        self.continuation.consent_needed.connect(self.window.come_forward)
        self.run_order.consent_needed.connect(self._show_changed_run)
        self.window.pause_or_resume_requested.connect(self.device_sessions.pause_or_resume)
        for asker in (self.tray_controller, self.remote_control):
            asker.quit_requested.connect(self.quit)
        self._erase_dialog.agreed.connect(self.quit)
        self.shutdown.finished.connect(self.finished)

    def _connect_errors(self) -> None:
        failures = (self.session_controller.refused, self.settings_store.failed, self._settings_effects.failed)
        for failure in (*failures, self.recording.storage_failed):
            failure.connect(self.notices.show_error)
        self.recording.storage_recovered.connect(self.notices.withdraw_error)
        engine = self.engine_controller
        engine.newer_offered.connect(lambda: self.notices.show_newer_engine(engine.renew))

    def _go_back(self) -> None:
        """Go back within the help where something was read before; elsewhere to the page before."""
        if self.navigator.page_name != "help" or not self.pages.help.go_back():
            self.navigator.go_back()

    def _show_changed_run(self, key: RunKey, name: str) -> None:
        def look() -> None:
            self.run_order.look_at(key)
            self.navigator.show_session_page()

        self.notices.show_changed_run(name, look)

    def _draw(self) -> None:
        """Draw the window and the tray, and hear of devices and workers as often as they are drawn."""
        is_seen, foremost = self.window.is_seen, self.device_sessions.foremost.session
        self.device_poller.adapt(is_seen=is_seen, is_training=foremost.phase == "training")
        self.device_sessions.adapt(is_seen=is_seen)
        self.renderer.render()
        self.tray_controller.refresh()

    def _prepare_folders(self) -> None:
        from core.files.logs import set_up_logging

        try:
            self.folders.prepare()
            set_up_logging(self.folders.logs)
        except UserError as error:
            self.notices.show_error(error)
        except OSError as error:
            _log.warning("There is no log: %r", error)
        if self.settings_store.error is not None:
            self.notices.show_error(self.settings_store.error)
        QGuiApplication.setWindowIcon(icon := QIcon(str(RESOURCES / "icons" / "workerbee.svg")))
        self.window.set_icon(icon)

    def _open_recording(self) -> None:
        self.recording.open()
        self._timer.start()
        self.renderer.render()

    def _listen(self) -> None:
        if self._instance is not None and self._instance.listen():
            self._instance.handed_over.connect(self.intake.receive)
            self._instance.on_command = self.remote_control.answer

    def _follow_system(self) -> None:
        from app.shell.system_events import SystemEvents

        parts = (self.session_controller, self.device_sessions, self.engine_controller, self.exporter, self.window)
        self.system_events = SystemEvents(*parts, self.shutdown, self)
        qt = QGuiApplication.instance()
        assert isinstance(qt, QGuiApplication)
        qt.applicationStateChanged.connect(self.intake.on_application_state)
        self.intake.offer_clipboard()

    def _continue_run(self, request: LaunchRequest) -> None:
        """Whoever starts the program with a link or a run file has another run in mind."""
        if not request.link and not request.run_file:
            self.continuation.start()

    def _follow_updates(self) -> None:
        from app.controllers.update_controller import UpdateController

        self.updates = UpdateController(self.settings_store, self.folders, self.bridge, self.notices.show_update, self)
        self.updates.newer_known.connect(self.renderer.render)
        self.updates.start()

    def _newest_version(self) -> UpdateNotice | None:
        return self.updates.newer_version if self.updates is not None else None
