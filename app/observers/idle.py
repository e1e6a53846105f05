"""How long nobody has touched keyboard or mouse: asked of whoever knows best on this desktop, now and then."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Protocol

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtDBus import QDBusConnection

from app.observers.service_answer import ServiceAnswer
from app.observers.wayland_idle import WaylandIdle
from core.observers.desktop_bus.readings import answered_idle_seconds
from core.observers.desktop_bus.services import KDE_SCREEN_SAVER, MUFFIN, MUTTER, Target
from core.observers.display_servers.wayland_globals import is_wayland_session
from core.observers.display_servers.x11_idle import X11Idle

POLL_SECONDS = 2.0
_STALE_SECONDS = 10.0


class IdleSource(Protocol):
    """Somebody who may know the idle time."""

    name: str

    @property
    def idle_seconds(self) -> float | None:
        """What is known at this moment."""

    def refresh(self) -> None:
        """Ask for what is newer, without waiting for it."""


class IdleMonitor(QObject):
    """A service with a method that answers in milliseconds."""

    def __init__(
        self, bus: QDBusConnection, name: str, target: Target, method: str, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.name = name
        self._answered_at = 0.0
        self._answer = ServiceAnswer(bus, target, method, self)
        self._answer.answered.connect(self._on_answer)

    @property
    def idle_seconds(self) -> float | None:
        """What it has answered lately, if that can be: nobody is idle since before the computer was started."""
        is_stale = time.monotonic() - self._answered_at > _STALE_SECONDS
        return None if is_stale else answered_idle_seconds(self._answer.value)

    def refresh(self) -> None:
        """Ask a service that has answered the last time; one that has not is asked again by itself."""
        if self._answer.value is not None:
            self._answer.ask()

    def _on_answer(self) -> None:
        self._answered_at = time.monotonic()


class IdleObserver(QObject):
    """Polls the first of its sources that knows the idle time."""

    def __init__(
        self, sources: Sequence[IdleSource], parent: QObject | None = None, *, poll_seconds: float = POLL_SECONDS
    ) -> None:
        super().__init__(parent)
        self._sources = sources
        self._timer = QTimer(self, interval=int(poll_seconds * 1000))
        if poll_seconds >= 1:
            self._timer.setTimerType(Qt.TimerType.VeryCoarseTimer)
        self._timer.timeout.connect(self._poll)
        self.watch(True)

    def watch(self, is_wanted: bool) -> None:
        """Poll, or do not: then nothing is known."""
        if not is_wanted:
            self._timer.stop()
        elif not self._timer.isActive():
            self._timer.start()
            self._poll()

    @property
    def idle_seconds(self) -> float | None:
        """Seconds since the last input; ``None`` where nobody can tell."""
        source = self._knowing
        return None if source is None else source.idle_seconds

    @property
    def source(self) -> str | None:
        """The program that tells it."""
        return None if self._knowing is None else self._knowing.name

    @property
    def _knowing(self) -> IdleSource | None:
        knowing = (each for each in self._sources if each.idle_seconds is not None)
        return next(knowing, None) if self._timer.isActive() else None

    def _poll(self) -> None:
        for source in self._sources:
            source.refresh()
            if source.idle_seconds is not None:
                return


def idle_sources(
    session_bus: QDBusConnection, session: IdleSource, environment: Mapping[str, str], parent: QObject
) -> list[IdleSource]:
    """Who may know it in such a session, the best first; ``session`` is logind's, which knows least.

    Under Wayland neither an X server nor KDE's service sees all input: the latter answers 0.
    """
    monitors: list[IdleSource] = [
        IdleMonitor(session_bus, "Mutter", MUTTER, "GetIdletime", parent),
        IdleMonitor(session_bus, "Muffin", MUFFIN, "GetIdletime", parent),
    ]
    if is_wayland_session(environment):
        return [*monitors, WaylandIdle(environment, parent), session]
    kde = IdleMonitor(session_bus, "KDE", KDE_SCREEN_SAVER, "GetSessionIdleTime", parent)
    return [*monitors, X11Idle(environment.get("DISPLAY", "")), kde, session]
