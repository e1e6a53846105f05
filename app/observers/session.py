"""Whether the person's session is locked, or another one is seen: logind's session (org.freedesktop.login1(5))."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtDBus import QDBusConnection

from app.observers.service_properties import ServiceProperties
from core.observers.desktop_bus.readings import hinted_idle_seconds
from core.observers.desktop_bus.services import OWN_SESSION


class SessionObserver(QObject):
    """The session that this program belongs to, or else the one that its user sees.

    Signals:
        changed: something of it may be other than before.
    """

    changed = Signal()
    name = "logind"

    def __init__(self, system_bus: QDBusConnection, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = ServiceProperties(system_bus, OWN_SESSION, self, is_alias=True)
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
        """Seconds without input, where the desktop tells logind of them: only some do, and only after minutes."""
        return hinted_idle_seconds(self._session)

    def refresh(self) -> None:
        """Do nothing: whatever changes is told."""
