"""The programs that play, or that forbid the screen to be blanked: somebody watches."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtDBus import QDBusConnection

from app.observers.inhibitors import ScreenInhibitors
from app.observers.media_players import MediaPlayers


class FilmsObserver(QObject):
    """Whoever has somebody watch or listen.

    Signals:
        changed: they may be others than before.
    """

    changed = Signal()

    def __init__(self, session_bus: QDBusConnection, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._players = MediaPlayers(session_bus, self)
        self._inhibitors = ScreenInhibitors(session_bus, self)
        self._players.changed.connect(self.changed)
        self._inhibitors.changed.connect(self.changed)

    @property
    def films(self) -> tuple[str, ...] | None:
        """The names of the programs; ``None`` where neither can be seen."""
        playing, inhibiting = self._players.playing, self._inhibitors.programs
        if playing is None and inhibiting is None:
            return None
        return tuple(dict.fromkeys((*(playing or ()), *(inhibiting or ()))))

    @property
    def source(self) -> str | None:
        """The programs that tell of them."""
        sources = {"MPRIS": self._players.playing, "GNOME SessionManager": self._inhibitors.programs}
        return ", ".join(name for name, seen in sources.items() if seen is not None) or None
