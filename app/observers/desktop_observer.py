"""All that the desktop tells, as the fields of an observation that the owner's rules are decided by."""

from __future__ import annotations

import os
from collections.abc import Mapping

from PySide6.QtCore import QObject, Signal
from PySide6.QtDBus import QDBusConnection

from app.observers.films import FilmsObserver
from app.observers.games import GamesObserver
from app.observers.idle import POLL_SECONDS, IdleObserver, idle_sources
from app.observers.metered import MeteredObserver
from app.observers.power import PowerObserver
from app.observers.session import SessionObserver
from core.observers.display_servers.x11_full_screen import X11FullScreen


class DesktopObserver(QObject):
    """Observes from the beginning on, and never waits: what has not been told yet, or cannot be, is ``None``.

    Signals:
        changed: one of ``fields`` is another, other than the idle time and the full-screen program.
    """

    changed = Signal()

    def __init__(
        self,
        session_bus: QDBusConnection,
        system_bus: QDBusConnection,
        parent: QObject | None = None,
        *,
        environment: Mapping[str, str] = os.environ,
        poll_seconds: float = POLL_SECONDS,
    ) -> None:
        """``environment`` tells what kind of session it is; every ``poll_seconds`` the idle time is asked for."""
        super().__init__(parent)
        self._session = SessionObserver(system_bus, self)
        sources = idle_sources(session_bus, self._session, environment, self)
        self._idle = IdleObserver(sources, self, poll_seconds=poll_seconds)
        self._power = PowerObserver(session_bus, system_bus, self)
        self._metered = MeteredObserver(session_bus, system_bus, self)
        self._games = GamesObserver(session_bus, self)
        self._films = FilmsObserver(session_bus, self)
        self._full_screen = X11FullScreen(environment)
        self._told = self._signalled_fields()
        for each in (self._session, self._power, self._metered, self._games, self._films):
            each.changed.connect(self._on_changed)

    def watch_idle(self, is_wanted: bool) -> None:
        """Ask for the idle time now and then, or save the effort: then it is ``None``."""
        self._idle.watch(is_wanted)

    def fields(self) -> dict[str, object]:
        """Arguments of ``Observation``: all that is observed here. The X server is asked now."""
        self._full_screen.refresh()
        return {
            "idle_seconds": self._idle.idle_seconds,
            "full_screen": self._full_screen.is_in_front,
            **self._signalled_fields(),
        }

    def sources(self) -> dict[str, str | None]:
        """By field, the name of the program that tells it; ``None`` where nobody does."""
        return {
            "idle_seconds": self._idle.source,
            **self._session.sources(),
            **self._power.sources(),
            "is_metered": self._metered.source,
            "games": self._games.source,
            "full_screen": None if self._full_screen.is_in_front is None else self._full_screen.name,
            "films": self._films.source,
        }

    def _signalled_fields(self) -> dict[str, object]:
        return {
            "is_locked": self._session.is_locked,
            "is_switched": self._session.is_switched,
            "is_on_battery": self._power.is_on_battery,
            "battery": self._power.battery,
            "is_power_saving": self._power.is_power_saving,
            "is_metered": self._metered.is_metered,
            "games": self._games.games,
            "films": self._films.films,
        }

    def _on_changed(self) -> None:
        """Most of what the services say changes nothing here."""
        fields = self._signalled_fields()
        if fields != self._told:
            self._told = fields
            self.changed.emit()
