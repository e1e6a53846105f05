"""The owner's rules in the window: they decide while there is a run, and while a person looks at them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from app.controllers.session_controller import SessionController
from app.controllers.settings_store import SettingsStore
from app.controllers.thread_bridge import Bridge
from core.availability.observation import Observation
from core.availability.rule_views import RuleView, rule_views
from core.client.availability_guard import AvailabilityGuard
from core.client.computer_watch import LOOK_SECONDS, ComputerWatch

if TYPE_CHECKING:
    from app.observers.desktop_observer import DesktopObserver
    from core.availability.rules import AvailabilityRules

_LONGEST_LOOK_SECONDS = 5.0


class AvailabilityController(QObject):
    """Has the rules decide every two seconds, and as soon as the desktop tells of a change; main thread only.

    Where there is neither a run nor anybody who looks, nothing is observed.
    """

    def __init__(
        self,
        watch: ComputerWatch,
        bridge: Bridge,
        settings_store: SettingsStore,
        session_controller: SessionController,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._watch, self._settings_store, self._session_controller = watch, settings_store, session_controller
        self._desktop: DesktopObserver | None = None
        self._looked_until = 0.0
        self._guard = AvailabilityGuard(lambda: self.rules, self._seen, bridge.post_event)
        self._timer = QTimer(self, interval=int(LOOK_SECONDS * 1000))
        self._timer.timeout.connect(self._check)
        session_controller.changed.connect(self._begin)
        session_controller.overruled.connect(self._guard.resume_now)
        settings_store.changed.connect(self._check_now)

    @property
    def rules(self) -> AvailabilityRules:
        """The rules as they are set now."""
        return self._settings_store.settings.availability

    @property
    def observation(self) -> Observation | None:
        """What is seen of the computer now; ``None`` where nobody has looked yet."""
        return self._seen()

    def start(self) -> None:
        """Listen to the desktop from now on."""
        from PySide6.QtDBus import QDBusConnection

        from app.observers.desktop_observer import DesktopObserver

        self._desktop = DesktopObserver(QDBusConnection.sessionBus(), QDBusConnection.systemBus(), self)
        self._desktop.watch_idle(self._timer.isActive())
        self._desktop.changed.connect(self._check_now)

    def stop(self) -> None:
        """Observe no more."""
        self._timer.stop()
        self._watch.stop()
        if self._desktop is not None:
            self._desktop.watch_idle(False)

    def look(self) -> tuple[RuleView, ...]:
        """Every rule with what it sees now; who looks again within a few seconds keeps the observation going."""
        self._looked_until = time.monotonic() + _LONGEST_LOOK_SECONDS
        self._begin()
        seen = self._seen()
        return () if seen is None else rule_views(self.rules, seen)

    def _begin(self) -> None:
        if not self._timer.isActive() and self._is_wanted:
            self._watch.start()
            self._timer.start()
            if self._desktop is not None:
                self._desktop.watch_idle(True)

    @property
    def _is_wanted(self) -> bool:
        return not self._session_controller.is_over or time.monotonic() < self._looked_until

    def _check(self) -> None:
        if self._is_wanted:
            self._guard.check()
        else:
            self.stop()

    def _check_now(self) -> None:
        if self._timer.isActive():
            self._guard.check()

    def _seen(self) -> Observation | None:
        return self._watch.seen(self._desktop.fields() if self._desktop is not None else None)
