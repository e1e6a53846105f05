"""Suspend: the run is left before the computer is suspended, and joined again afterwards."""

from __future__ import annotations

from typing import Any, Protocol

from PySide6.QtCore import QObject, Qt, Signal

from core.observers.desktop_bus.suspend import SuspendWatch


class SuspendMonitor(QObject):
    """Emits on the main thread what a `SuspendWatch`, whose thread it is, finds.

    Signals:
        suspending: the computer waits until ``let_suspend`` is called, for a few seconds at the most.
        resumed: the computer is awake again.
    """

    suspending = Signal()
    resumed = Signal()
    _suspend_found = Signal()
    _resume_found = Signal()

    def __init__(self, parent: QObject | None = None, **options: Any) -> None:
        """``options`` are those of the watch."""
        super().__init__(parent)
        self._suspend_found.connect(self.suspending, Qt.ConnectionType.QueuedConnection)
        self._resume_found.connect(self.resumed, Qt.ConnectionType.QueuedConnection)
        self._watch = SuspendWatch(self._suspend_found.emit, self._resume_found.emit, **options)

    def let_suspend(self) -> None:
        """Let the computer be suspended."""
        self._watch.let_suspend()

    def close(self) -> None:
        """Listen for suspends no longer."""
        self._watch.close()


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
            self._monitor.let_suspend()

    def _prepare(self) -> None:
        self._is_waiting = self._session.prepare_suspend()
        if not self._is_waiting:
            self._monitor.let_suspend()
