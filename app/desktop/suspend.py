"""Suspend: the run is left before the computer is suspended, and joined again afterwards.

logind delays a suspend by a few seconds for programs that hold an inhibitor of mode ``delay``
(https://systemd.io/INHIBITOR_LOCKS/). Without logind a suspend is noticed only afterwards, by two clocks: one of them
goes on while the computer is suspended, and the other does not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Protocol

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtDBus import QDBusConnection, QDBusMessage, QDBusUnixFileDescriptor

from app.desktop.dbus import call_async, subscribe
from core.observers.desktop_bus.services import LOGIND
from core.observers.desktop_bus.suspend import INHIBITOR, JUMP_SECONDS, POLL_SECONDS, seconds_suspended

_LOGIND = (LOGIND.service, LOGIND.path, LOGIND.interface)


class SuspendMonitor(QObject):
    """Holds an inhibitor of logind, and emits when the computer is about to be suspended and when it is awake again.

    Signals:
        suspending: the computer waits until ``release_inhibitor`` is called, for a few seconds at the most.
        resumed: the computer is awake again, and a new inhibitor is held.
    """

    suspending = Signal()
    resumed = Signal()

    def __init__(
        self,
        bus: QDBusConnection,
        parent: QObject | None = None,
        *,
        suspended_seconds: Callable[[], float] = seconds_suspended,
        poll_seconds: float = POLL_SECONDS,
    ) -> None:
        """``suspended_seconds`` is a clock that counts only while the computer is suspended."""
        super().__init__(parent)
        self._bus = bus
        self._suspended_seconds = suspended_seconds
        self._seen_seconds = self._suspended_seconds()
        self._inhibitor: QDBusUnixFileDescriptor | None = None
        self._is_suspending = False
        self._is_subscribed = subscribe(bus, (*_LOGIND, "PrepareForSleep"), self, "on_prepare_for_sleep(bool)")
        self._timer = QTimer(self, interval=int(poll_seconds * 1000))
        self._timer.timeout.connect(self._poll)
        self._timer.start()
        self._take_inhibitor()

    @property
    def supports_inhibit(self) -> Literal["watching", "unknown"]:
        """Whether a suspend is announced beforehand."""
        return "watching" if self._is_subscribed else "unknown"

    @property
    def is_holding(self) -> bool:
        """Whether the computer would wait for this program before it is suspended."""
        return self._inhibitor is not None

    def release_inhibitor(self) -> None:
        """Let the computer be suspended: closing the descriptor is the sign for logind."""
        self._inhibitor = None

    @Slot(bool)
    def on_prepare_for_sleep(self, is_suspending: bool) -> None:
        """Receive logind's signal, which comes before a suspend and after it."""
        if is_suspending:
            self._is_suspending = True
            self.suspending.emit()
        else:
            self._resume()

    @Slot(QDBusMessage)
    def on_inhibitor(self, reply: QDBusMessage) -> None:
        """Receive the descriptor that makes logind wait while it is open."""
        values = reply.arguments()
        if values and isinstance(values[0], QDBusUnixFileDescriptor):
            self._inhibitor = values[0]

    @Slot()
    def on_no_inhibitor(self) -> None:
        """Do without logind, which is not there or refuses: a suspend is noticed when it is over."""

    def _take_inhibitor(self) -> None:
        call = QDBusMessage.createMethodCall(*_LOGIND, "Inhibit")
        call.setArguments(list(INHIBITOR))
        call_async(self._bus, call, self, "on_inhibitor", "on_no_inhibitor")

    def _poll(self) -> None:
        before, self._seen_seconds = self._seen_seconds, self._suspended_seconds()
        if self._seen_seconds - before >= JUMP_SECONDS:
            self._resume(is_unannounced=True)

    def _resume(self, is_unannounced: bool = False) -> None:
        """Emit once for each suspend, although logind and the clocks both report it."""
        self._seen_seconds = self._suspended_seconds()
        if self._is_suspending or is_unannounced:
            self._is_suspending = False
            self._take_inhibitor()
            self.resumed.emit()


class Suspendable(Protocol):
    """What is left before a suspend, and joined again afterwards."""

    def prepare_suspend(self) -> bool: ...

    def resume_after_suspend(self) -> None: ...

    @property
    def may_suspend(self) -> bool: ...


class SuspendController(QObject):
    """Lets the computer be suspended as soon as the run is left, and has it joined again afterwards."""

    def __init__(self, session: Suspendable, monitor: SuspendMonitor, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._monitor = session, monitor
        self._is_waiting = False
        monitor.suspending.connect(self._prepare)
        monitor.resumed.connect(session.resume_after_suspend)

    def update(self) -> None:
        """Release the inhibitor if the session has been left by now; to be called whenever it has changed."""
        if self._is_waiting and self._session.may_suspend:
            self._is_waiting = False
            self._monitor.release_inhibitor()

    def _prepare(self) -> None:
        self._is_waiting = self._session.prepare_suspend()
        if not self._is_waiting:
            self._monitor.release_inhibitor()
