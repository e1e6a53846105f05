"""The games that have told GameMode of themselves (https://github.com/FeralInteractive/gamemode).

GameMode is started by the first game that speaks to it, and must not be started by a question; so where it could be
started and is not, nobody plays.
"""

from __future__ import annotations

import psutil
from PySide6.QtCore import QObject, Signal
from PySide6.QtDBus import QDBusConnection

from app.observers.introspection import ObjectsBelow
from app.observers.service_answer import ServiceAnswer, Target
from app.observers.service_properties import ServiceProperties
from core.security.sanitize import sanitize_line

_NAME, _PATH = "com.feralinteractive.GameMode", "/com/feralinteractive/GameMode"
_BUS = Target("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus")
_MOST_GAMES, _LONGEST_NAME = 10_000, 60


class GamesObserver(QObject):
    """The games that GameMode knows.

    Signals:
        changed: they may be others than before.
    """

    changed = Signal()

    def __init__(self, session_bus: QDBusConnection, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._programs: tuple[str, ...] = ()
        self._startable = ServiceAnswer(session_bus, _BUS, "ListActivatableNames", self, reply="as")
        self._game_mode = ServiceProperties(session_bus, Target(_NAME, _PATH, _NAME), self)
        self._processes = ObjectsBelow(session_bus, _NAME, f"{_PATH}/Games", self)
        self._startable.answered.connect(self.changed)
        self._game_mode.answered.connect(self._on_count)
        self._processes.answered.connect(self._on_processes)

    @property
    def games(self) -> tuple[str, ...] | None:
        """The names of their programs; ``None`` where there is no GameMode."""
        count = self._game_mode.number("ClientCount", 0, _MOST_GAMES)
        if count is None:
            is_startable = isinstance(self._startable.value, list) and _NAME in self._startable.value
            return () if is_startable and self._game_mode.is_absent else None
        return (self._programs or ("GameMode",)) if count else ()

    @property
    def source(self) -> str | None:
        """The programs that tell of them."""
        return None if self.games is None else "GameMode"

    def _on_count(self) -> None:
        self._processes.ask()
        self.changed.emit()

    def _on_processes(self) -> None:
        """Look up the names once; a process that has ended, or is another user's, keeps its own to itself."""
        numbers = (int(name) for name in self._processes.names if name.isdecimal())
        names = {sanitize_line(name, _LONGEST_NAME) for number in numbers if (name := program_name(number))}
        self._programs = tuple(sorted(names))
        self.changed.emit()


def program_name(pid: int) -> str:
    """The name of a process's program, nothing where it cannot be known."""
    try:
        return psutil.Process(pid).name()
    except (psutil.Error, OverflowError, OSError):
        return ""
