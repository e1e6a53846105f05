"""The games that have told GameMode of themselves (https://github.com/FeralInteractive/gamemode).

GameMode is started by the first game that speaks to it, and must not be started by a question; so where it could be
started and is not, nobody plays.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtDBus import QDBusConnection

from app.observers.introspection import ObjectsBelow
from app.observers.service_answer import ServiceAnswer
from app.observers.service_properties import ServiceProperties
from core.observers.desktop_bus.readings import GAME_MODE_NAME, game_names, games_by_count
from core.observers.desktop_bus.services import BUS, GAME_MODE


class GamesObserver(QObject):
    """The games that GameMode knows.

    Signals:
        changed: they may be others than before.
    """

    changed = Signal()

    def __init__(self, session_bus: QDBusConnection, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._programs: tuple[str, ...] = ()
        self._startable = ServiceAnswer(session_bus, BUS, "ListActivatableNames", self, reply="as")
        self._game_mode = ServiceProperties(session_bus, GAME_MODE, self)
        self._processes = ObjectsBelow(session_bus, GAME_MODE.service, f"{GAME_MODE.path}/Games", self)
        self._startable.answered.connect(self.changed)
        self._game_mode.answered.connect(self._on_count)
        self._processes.answered.connect(self._on_processes)

    @property
    def games(self) -> tuple[str, ...] | None:
        """The names of their programs; ``None`` where there is no GameMode."""
        counted = games_by_count(self._game_mode, self._programs)
        is_startable = isinstance(self._startable.value, list) and GAME_MODE.service in self._startable.value
        return () if counted is None and is_startable and self._game_mode.is_absent else counted

    @property
    def source(self) -> str | None:
        """The programs that tell of them."""
        return None if self.games is None else GAME_MODE_NAME

    def _on_count(self) -> None:
        self._processes.ask()
        self.changed.emit()

    def _on_processes(self) -> None:
        """Look up the names once; a process that has ended, or is another user's, keeps its own to itself."""
        self._programs = game_names(int(name) for name in self._processes.names if name.isdecimal())
        self.changed.emit()
