"""The programs that play music or a film: MPRIS (https://specifications.freedesktop.org/mpris-spec/latest/)."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtDBus import QDBusConnection, QDBusServiceWatcher

from app.observers.service_answer import ServiceAnswer
from app.observers.service_properties import ServiceProperties
from core.observers.desktop_bus.readings import is_player, player_program
from core.observers.desktop_bus.services import BUS, PLAYER_INTERFACE, PLAYER_PATH, PLAYER_PREFIX, Target


class MediaPlayers(QObject):
    """The players on the bus, each with what it does.

    Signals:
        changed: another one may be playing.
    """

    changed = Signal()

    def __init__(self, session_bus: QDBusConnection, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bus = session_bus
        self._players: dict[str, ServiceProperties] = {}
        mode = QDBusServiceWatcher.WatchModeFlag.WatchForOwnerChange
        self._watcher = QDBusServiceWatcher(f"{PLAYER_PREFIX}*", session_bus, mode, self)
        self._watcher.serviceOwnerChanged.connect(self._on_owner_changed)
        self._names = ServiceAnswer(session_bus, BUS, "ListNames", self, reply="as")
        self._names.answered.connect(self._on_names)

    @property
    def playing(self) -> tuple[str, ...] | None:
        """The programs that play now; ``None`` where the bus does not tell who is on it."""
        if not isinstance(self._names.value, list):
            return None
        playing = (name for name, each in self._players.items() if each.text("PlaybackStatus") == "Playing")
        return tuple(sorted({player_program(name) for name in playing}))

    def _on_names(self) -> None:
        for name in self._names.value if isinstance(self._names.value, list) else ():
            self._add(name)
        self.changed.emit()

    def _on_owner_changed(self, name: str, _old: str, new: str) -> None:
        if new:
            self._add(name)
        elif gone := self._players.pop(name, None):
            gone.deleteLater()
            self.changed.emit()

    def _add(self, name: str) -> None:
        if is_player(name) and name not in self._players:
            target = Target(name, PLAYER_PATH, PLAYER_INTERFACE)
            self._players[name] = player = ServiceProperties(self._bus, target, self)
            player.answered.connect(self.changed)
