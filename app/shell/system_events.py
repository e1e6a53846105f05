"""What the operating system tells a program: signals, the end of the session, suspend."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt
from PySide6.QtDBus import QDBusConnection
from PySide6.QtWidgets import QApplication

from app.controllers.devices.device_sessions import DeviceSessions
from app.controllers.session_controller import SessionController
from app.desktop.os_signals import OsSignalNotifier
from app.desktop.suspend import SuspendController, SuspendMonitor
from app.shell.shutdown import GracefulShutdown


class SystemEvents(QObject):
    """Quits when the system wants the program to end, and leaves the run before the computer is suspended."""

    def __init__(
        self,
        session_controller: SessionController,
        device_sessions: DeviceSessions,
        shutdown: GracefulShutdown,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._shutdown = shutdown
        monitor = SuspendMonitor(QDBusConnection.systemBus(), self)
        self._suspend = SuspendController(device_sessions, monitor, self)
        session_controller.changed.connect(self._suspend.update)
        device_sessions.changed.connect(self._suspend.update)
        self._signals = OsSignalNotifier(self)
        self._signals.arrived.connect(shutdown.start)
        qt = QApplication.instance()
        assert isinstance(qt, QApplication)
        # direct: the session ends as soon as this signal's slots have returned
        qt.commitDataRequest.connect(self._leave_at_once, Qt.ConnectionType.DirectConnection)

    def close(self) -> None:
        """Leave signals of the operating system to whoever had them before."""
        self._signals.close()

    def _leave_at_once(self, _manager: object) -> None:
        self._shutdown.wait()
