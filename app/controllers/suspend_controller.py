"""A computer that falls asleep leaves its run before, and joins it again after."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtDBus import QDBusConnection

from app.controllers.session_controller import SessionController
from app.desktop.suspend import SuspendMonitor


class SuspendController(QObject):
    """The desktop waits for us a few seconds; ``follow`` the session, to let it sleep as soon as may be."""

    def __init__(self, helm: SessionController, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._helm, self._is_going = helm, False
        self._power = SuspendMonitor(QDBusConnection.systemBus(), self)
        self._power.going_to_sleep.connect(self._begin)
        self._power.woke_up.connect(helm.wake)

    def follow(self) -> None:
        """The session has changed."""
        if self._is_going and self._helm.is_asleep:
            self._is_going = False
            self._power.release_inhibitor()

    def _begin(self) -> None:
        self._is_going = self._helm.sleep()
        if not self._is_going:
            self._power.release_inhibitor()
