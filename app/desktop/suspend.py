"""The computer's sleep, foretold where the desktop can: the run is left before, and joined again after.

Where logind is on the system's bus, it waits a few seconds for us; elsewhere a sleep is only noticed
afterwards, by the clocks: one of them goes on while the computer sleeps and the other does not.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Literal

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtDBus import QDBusConnection, QDBusMessage, QDBusUnixFileDescriptor

from app.desktop.dbus import ask, hear

LOOK_SECONDS = 5.0
JUMP_SECONDS = 20.0
_LOGIND = ("org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager")


class SuspendMonitor(QObject):
    """Says ``going_to_sleep`` and ``woke_up``; who heard the first says ``release_inhibitor`` when all is done."""

    going_to_sleep = Signal()
    woke_up = Signal()

    def __init__(
        self,
        bus: QDBusConnection,
        parent: QObject | None = None,
        *,
        slept: Callable[[], float] | None = None,
        look_seconds: float = LOOK_SECONDS,
    ) -> None:
        """``slept`` is a clock of seconds that the computer has spent asleep, from whatever beginning."""
        super().__init__(parent)
        self._bus = bus
        self._slept = slept or seconds_slept
        self._seen = self._slept()
        self._lock: QDBusUnixFileDescriptor | None = None
        self._is_asleep = False
        self._is_watching = hear(bus, (*_LOGIND, "PrepareForSleep"), self, "prepare(bool)")
        self._clock = QTimer(self, interval=int(look_seconds * 1000))
        self._clock.timeout.connect(self._look)
        self._clock.start()
        self._hold()

    @property
    def supports_inhibit(self) -> Literal["watching", "unknown"]:
        """Whether a sleep is told beforehand."""
        return "watching" if self._is_watching else "unknown"

    @property
    def is_holding(self) -> bool:
        """Whether the computer would wait for us."""
        return self._lock is not None

    def release_inhibitor(self) -> None:
        """Keep the computer awake no longer."""
        self._lock = None  # the descriptor closes, and that is the sign

    @Slot(bool)
    def prepare(self, is_going: bool) -> None:
        """What logind says."""
        if is_going:
            self._is_asleep = True
            self.going_to_sleep.emit()
        else:
            self._wake()

    @Slot(QDBusMessage)
    def hold(self, answer: QDBusMessage) -> None:
        """logind's answer to the wish that it waits for us."""
        values = answer.arguments()
        if values and isinstance(values[0], QDBusUnixFileDescriptor):
            self._lock = values[0]

    @Slot()
    def hold_nothing(self) -> None:
        """There is no logind, or it refuses: a sleep is noticed when it is over."""

    def _hold(self) -> None:
        question = QDBusMessage.createMethodCall(*_LOGIND, "Inhibit")
        question.setArguments(["sleep", "Workerbee", "Leaving the training run first", "delay"])
        ask(self._bus, question, self, "hold", "hold_nothing")

    def _look(self) -> None:
        before, self._seen = self._seen, self._slept()
        if self._seen - before >= JUMP_SECONDS:
            self._wake(is_surprise=True)

    def _wake(self, is_surprise: bool = False) -> None:
        """Told twice, by logind and by the clocks, it is the same sleep."""
        self._seen = self._slept()
        if self._is_asleep or is_surprise:
            self._is_asleep = False
            self._hold()
            self.woke_up.emit()


def seconds_slept() -> float:
    """Seconds asleep since the computer started, where the system counts them; else by the wall's clock."""
    boot = getattr(time, "CLOCK_BOOTTIME", None)
    whole = time.time() if boot is None else time.clock_gettime(boot)
    return whole - time.monotonic()
