"""What the operating system tells a program: signals, the end of the session, suspend, an upgrade or a removal."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QApplication

import app.shell.shutdown_window  # noqa: F401  whose file is gone once the program is removed
from app.controllers.devices.device_sessions import DeviceSessions
from app.controllers.engine_controller import EngineController
from app.controllers.organiser.exporter import ModelExporter
from app.controllers.session_controller import SessionController
from app.desktop.os_signals import OsSignalNotifier
from app.desktop.suspend import SuspendController, SuspendMonitor
from app.desktop.upgrade_watcher import UpgradeWatcher
from app.shell.main_window import MainWindow
from app.shell.shutdown import GracefulShutdown
from core.files.package_mark import PackageMark


class SystemEvents(QObject):
    """Quits when the system wants the program to end, or has removed it; leaves the run before a suspend.

    Attributes:
        is_restarting: the program ends because another version of it was installed, which is to go on.
    """

    def __init__(
        self,
        session_controller: SessionController,
        device_sessions: DeviceSessions,
        engine_controller: EngineController,
        exporter: ModelExporter,
        window: MainWindow,
        shutdown: GracefulShutdown,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._session_controller, self._device_sessions, self._shutdown = session_controller, device_sessions, shutdown
        self._engine_controller, self._exporter, self._window = engine_controller, exporter, window
        self._suspends = SuspendMonitor(self)
        self._suspend = SuspendController(device_sessions, self._suspends, self)
        session_controller.changed.connect(self._suspend.update)
        device_sessions.changed.connect(self._suspend.update)
        self._signals = OsSignalNotifier(self)
        self._signals.arrived.connect(shutdown.start)
        self.is_restarting = False
        self.upgrade = UpgradeWatcher(PackageMark(), self.may_restart, self)
        self.upgrade.restart_due.connect(self._restart)
        self.upgrade.program_removed.connect(shutdown.start)
        qt = QApplication.instance()
        assert isinstance(qt, QApplication)
        # direct: the session ends as soon as this signal's slots have returned
        qt.commitDataRequest.connect(self._leave_at_once, Qt.ConnectionType.DirectConnection)

    def close(self) -> None:
        """Leave signals of the operating system to whoever had them before, and listen for suspends no longer."""
        self._suspends.close()
        self._signals.close()

    def may_restart(self) -> bool:
        """Whether nobody is in the midst of something that would not go on by itself after an upgrade."""
        is_idle = self._device_sessions.is_over and not self._window.is_seen
        is_training = self._session_controller.session.phase == "training"
        return (is_idle or is_training) and not (self._engine_controller.is_installing or self._exporter.is_exporting)

    def _restart(self) -> None:
        self.is_restarting = True
        self._shutdown.start()

    def _leave_at_once(self, _manager: object) -> None:
        self._shutdown.wait()
