"""The owner's rules in the window: they decide while there is a run, and while a person looks at them."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from app.controllers.device_poller import DevicePoller
from app.controllers.session_controller import SessionController
from app.controllers.settings_store import SettingsStore
from app.controllers.thread_bridge import Bridge
from core.availability.decision import Decision
from core.availability.observation import GpuId, Observation
from core.availability.pacing import Pace
from core.availability.rule_views import RuleView, rule_views
from core.client.availability_guard import AvailabilityGuard
from core.client.computer_watch import ComputerWatch, Observer, gpus_called, gpus_of
from core.client.session import Session
from core.errors import UserError
from core.files.folders import Folders
from core.hardware.discovery import choose_device
from core.records.pauses import Interval, PauseLog
from core.records.traffic_log import TrafficLog

if TYPE_CHECKING:
    from app.observers.desktop_observer import DesktopObserver
    from core.availability.rules import AvailabilityRules
    from core.observers.programs import RunningPrograms

_FIRST_MILLISECONDS = 100
_LONGEST_LOOK_SECONDS = 5.0


def computer_watch(
    folders: Folders, settings_store: SettingsStore, gpus: Callable[[], frozenset[GpuId]]
) -> ComputerWatch:
    """A watch over this computer, and over those of its GPUs; they are asked for whenever it starts."""

    def observer() -> Observer:
        from core.observers.computer import ComputerObserver

        return ComputerObserver(folders.data, gpus())

    return ComputerWatch(observer, lambda: settings_store.settings.availability)


class AvailabilityController(QObject):
    """Has the rules decide after each look and as soon as the desktop tells of a change; main thread only.

    Where there is neither a run nor anybody who looks, nothing is observed. The watch is started anew when another GPU
    trains, or is to train.

    Attributes:
        gpus: the GPUs that the rules look at, once the watch has started.
    """

    def __init__(
        self,
        watch: ComputerWatch,
        pauses: PauseLog,
        traffic: TrafficLog,
        bridge: Bridge,
        settings_store: SettingsStore,
        session_controller: SessionController,
        device_poller: DevicePoller,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.gpus: frozenset[GpuId] = frozenset()
        self._watch, self._pauses, self._traffic = watch, pauses, traffic
        self._settings_store, self._session_controller = settings_store, session_controller
        self._device_poller = device_poller
        self._has_seen = False
        self._desktop: DesktopObserver | None = None
        self._programs: RunningPrograms | None = None
        self._looked_until = 0.0
        self._guard = AvailabilityGuard(lambda: self.rules, self._seen, bridge.post_event, self._note)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._check)
        session_controller.changed.connect(self._begin)
        session_controller.changed.connect(self._note_pause)
        session_controller.overruled.connect(self._guard.resume_now)
        session_controller.reason_ignored.connect(self.ignore_today)
        settings_store.changed.connect(self._check_now)

    @property
    def rules(self) -> AvailabilityRules:
        """The rules as they are set now."""
        return self._settings_store.settings.availability

    def start(self) -> None:
        """Listen to the desktop from now on."""
        from PySide6.QtDBus import QDBusConnection

        from app.observers.desktop_observer import DesktopObserver

        self._desktop = DesktopObserver(QDBusConnection.sessionBus(), QDBusConnection.systemBus(), self)
        self._watch_idle()
        self._desktop.changed.connect(self._check_now)

    def stop(self) -> None:
        """Observe nothing until there is a run again."""
        if self._timer.isActive():
            self._pauses.end(datetime.now().astimezone())
            self._count_traffic()
            self._traffic.write()
        self._timer.stop()
        self._stop_watch()
        self._watch_idle()

    def look(self) -> tuple[Decision, tuple[RuleView, ...], frozenset[str]]:
        """The decision, every rule with what it sees, and the programs that run; nothing before the first look.

        Who looks again within a few seconds keeps the observation going.
        """
        self._keep_observing()
        seen, decision = self._seen(), self._session_controller.session.availability
        views = () if seen is None else rule_views(self.rules, seen, decision)
        return decision, views, self._running_programs()

    @property
    def observation(self) -> Observation | None:
        """What was seen last; who asks again within a few seconds keeps the observation going."""
        return self._guard.observation if self.has_decided() else None

    def look_at_pace(self) -> tuple[Pace, Observation | None]:
        """How fast the rules let training be, and what they are decided by; see `look`, which keeps that going."""
        return self._session_controller.session.pace, self._guard.observation

    @property
    def sources(self) -> dict[str, str | None]:
        """By field of ``Observation``, the program that tells it; ``None`` where nobody does."""
        return self._desktop.sources() if self._desktop is not None else {}

    def has_decided(self) -> bool:
        """Whether the rules have decided by what is watched now; who asks again keeps the observation going."""
        self._keep_observing()
        return self._has_seen

    def ignore_today(self) -> None:
        """Ignore the reason of the pause until midnight."""
        self._guard.ignore_today()

    def stop_ignoring(self) -> None:
        """Heed again what is ignored."""
        self._guard.stop_ignoring()

    def last_pauses(self, days: float) -> tuple[Interval, ...]:
        """When each device was free for runs that were joined, and when it was not, the earliest first."""
        return self._pauses.intervals(days, datetime.now().astimezone())

    def _note(self, decision: Decision, pace: Pace, at: datetime) -> None:
        session = self._session_controller.session
        consent = None if self._session_controller.is_over else session.consent
        self._pauses.note(decision, at, consent.device if consent is not None else None, session.pause, pace)

    def _note_pause(self, before: Session, after: Session) -> None:
        """At once, because a computer that is about to sleep may not look again before."""
        if before.pause != after.pause and self._timer.isActive():
            self._note(after.availability, after.pace, datetime.now().astimezone())

    def _running_programs(self) -> frozenset[str]:
        """Also where no rule names any, so that a person may choose."""
        from core.observers.programs import RunningPrograms, running_pids

        self._programs = self._programs or RunningPrograms()
        return self._programs.look(running_pids()) or frozenset()

    def _begin(self) -> None:
        if self._timer.isActive():
            self._follow_gpus()
        elif self._is_wanted:
            self._start_watch()
            self._watch_idle()

    def _start_watch(self) -> None:
        self.gpus = self._wanted_gpus
        self._watch.start()
        self._timer.start(_FIRST_MILLISECONDS)

    def _stop_watch(self) -> None:
        self._has_seen = False
        self._watch.stop()

    def _follow_gpus(self) -> None:
        """Start the watch anew where it looks at another GPU than is to be looked at."""
        if self.gpus != self._wanted_gpus:
            self._stop_watch()
            self._start_watch()

    @property
    def _wanted_gpus(self) -> frozenset[GpuId]:
        """The GPU of the run that was agreed to; without one, that which the settings have train."""
        devices, controller = self._device_poller.devices, self._session_controller
        consent = None if controller.is_over else controller.session.consent
        if consent is not None:
            return gpus_called(consent.device, devices)
        try:
            return gpus_of([choose_device(devices, controller.device_wish)])
        except UserError:
            return frozenset()

    def _keep_observing(self) -> None:
        """Somebody looks at what the rules see."""
        self._looked_until = time.monotonic() + _LONGEST_LOOK_SECONDS
        self._begin()
        self._watch_idle()

    def _watch_idle(self) -> None:
        """Have the idle time asked for where a rule needs it, or somebody looks at what the rules see."""
        if self._desktop is not None:
            is_wanted = self.rules.needs_idle_time or time.monotonic() < self._looked_until
            self._desktop.watch_idle(self._timer.isActive() and is_wanted)

    @property
    def _is_wanted(self) -> bool:
        return not self._session_controller.is_over or time.monotonic() < self._looked_until

    def _check(self) -> None:
        """Soon after the beginning, so that nobody who starts a run then has to be paused."""
        if self._is_wanted:
            self._watch_idle()
            self._follow_gpus()
            self._has_seen = self._guard.check()
            next_check = self._guard.next_check_seconds(self._watch.next_look_seconds)
            self._timer.setInterval(int(next_check * 1000) if self._has_seen else _FIRST_MILLISECONDS)
        else:
            self.stop()

    def _check_now(self) -> None:
        if self._timer.isActive():
            self._watch_idle()
            self._follow_gpus()
            self._guard.check()

    def _seen(self) -> Observation | None:
        desktop = self._desktop.fields() if self._desktop is not None else {}
        return self._watch.seen({**desktop, **self._count_traffic()})

    def _count_traffic(self) -> dict[str, object]:
        return self._traffic.count(self._session_controller.session.traffic, datetime.now())
