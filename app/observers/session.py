"""Whether the person's session is locked, or another one is seen: logind's session (org.freedesktop.login1(5))."""

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
        """Whether its screen is locked, so that nobody uses it."""
        return self._session.flag("LockedHint")

    @property
    def is_switched(self) -> bool | None:
        """Whether another session is the one that is seen: somebody else is at the computer, also where it is locked.

        So it is with screen lockers that show the log-in screen of the computer, such as LightDM's.
        """
        is_active = self._session.flag("Active")
        return None if is_active is None else not is_active

    def sources(self) -> dict[str, str | None]:
        """The program that tells each of it."""
        return {
            "is_locked": None if self.is_locked is None else self.name,
            "is_switched": None if self.is_switched is None else self.name,
        }

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
