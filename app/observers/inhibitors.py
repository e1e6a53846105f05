"""The programs that forbid the screen to be blanked, as GNOME's session manager knows them; MATE's and Cinnamon's, too.

KDE's ``org.kde.Solid.PowerManagement.PolicyAgent`` answers in structures, which PySide6 cannot read.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtDBus import QDBusConnection

from app.observers.introspection import ObjectsBelow
from app.observers.service_answer import ServiceAnswer
from core.observers.desktop_bus.readings import inhibitor_name, keeps_screen_on
from core.observers.desktop_bus.services import INHIBITOR_INTERFACE, SESSION_MANAGER, Target

_NAME, _PATH = SESSION_MANAGER.service, SESSION_MANAGER.path
_SIGNALS = (f"{_NAME}.InhibitorAdded", f"{_NAME}.InhibitorRemoved")


class _Inhibitor(QObject):
    """One program's wish: what it forbids, and which program it is."""

    def __init__(self, bus: QDBusConnection, path: str, parent: QObject) -> None:
        super().__init__(parent)
        target = Target(_NAME, path, INHIBITOR_INTERFACE)
        self.flags = ServiceAnswer(bus, target, "GetFlags", self)
        self.program = ServiceAnswer(bus, target, "GetAppId", self)

    @property
    def is_of_screen(self) -> bool:
        """Whether the screen must stay on."""
        return keeps_screen_on(self.flags.value)

    @property
    def name(self) -> str:
        """Its program, or whom else it has told."""
        return inhibitor_name(self.program.value)


class ScreenInhibitors(QObject):
    """What keeps the screen on now.

    Signals:
        changed: it may be another program than before.
    """

    changed = Signal()

    def __init__(self, session_bus: QDBusConnection, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bus = session_bus
        self._inhibitors: dict[str, _Inhibitor] = {}
        self._objects = ObjectsBelow(session_bus, _NAME, _PATH, self, signals=_SIGNALS)
        self._objects.answered.connect(self._on_objects)

    @property
    def programs(self) -> tuple[str, ...] | None:
        """The programs that keep it on; ``None`` where there is no such session manager."""
        if self._objects.value is None:
            return None
        return tuple(sorted({each.name for each in self._inhibitors.values() if each.is_of_screen}))

    def _on_objects(self) -> None:
        names = [name for name in self._objects.names if name.startswith("Inhibitor")]
        for name in self._inhibitors.keys() - set(names):
            self._inhibitors.pop(name).deleteLater()
        for name in set(names) - self._inhibitors.keys():
            self._inhibitors[name] = inhibitor = _Inhibitor(self._bus, f"{_PATH}/{name}", self)
            inhibitor.flags.answered.connect(self.changed)
            inhibitor.program.answered.connect(self.changed)
        self.changed.emit()
