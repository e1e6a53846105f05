"""Whether the person's session is locked, or switched away from: logind's session (org.freedesktop.login1(5))."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject, Signal
from PySide6.QtDBus import QDBusConnection

from app.observers.service_answer import Target
from app.observers.service_properties import ServiceProperties

_SESSION = Target("org.freedesktop.login1", "/org/freedesktop/login1/session/auto", "org.freedesktop.login1.Session")
_GRAPHICAL = ("x11", "wayland", "mir")
_MICROSECONDS = 1e6


class SessionObserver(QObject):
    """The session that this program belongs to, or else the one that its user sees.

    Signals:
        changed: something of it may be other than before.
    """

    changed = Signal()
    name = "logind"

    def __init__(self, system_bus: QDBusConnection, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = ServiceProperties(system_bus, _SESSION, self, is_alias=True)
        self._session.answered.connect(self.changed)

    @property
    def is_locked(self) -> bool | None:
        """Whether nobody can use it: its screen is locked, or it is not the one that is seen."""
        is_locked, is_active = self._session.flag("LockedHint"), self._session.flag("Active")
        return None if is_locked is None and is_active is None else is_locked is True or is_active is False

    @property
    def source(self) -> str | None:
        """Who tells whether it is locked."""
        return None if self.is_locked is None else self.name

    @property
    def idle_seconds(self) -> float | None:
        """Seconds without input, where the desktop tells logind of them: only some do, and only after minutes.

        A desktop that has never told it is one that never will. That of a terminal would be the terminal's.
        """
        is_idle = self._session.flag("IdleHint")
        since = self._session.number("IdleSinceHintMonotonic", 1, time.monotonic() * _MICROSECONDS)
        if is_idle is None or since is None or self._session.text("Type") not in _GRAPHICAL:
            return None
        return time.monotonic() - since / _MICROSECONDS if is_idle else 0.0

    def refresh(self) -> None:
        """Do nothing: whatever changes is told."""
