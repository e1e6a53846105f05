"""Signals of the operating system that ask the program to end: Ctrl-C, `kill`, the end of a session."""

from __future__ import annotations

import contextlib
import signal
import socket

from PySide6.QtCore import QObject, QSocketNotifier, Signal

_KINDS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


class OsSignalNotifier(QObject):
    """Wakes Qt's event loop for signals of the operating system, which it would never look at by itself.

    Signals:
        arrived: a signal that asks the program to end.
    """

    arrived = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._reader, self._writer = socket.socketpair()
        self._reader.setblocking(False)
        self._writer.setblocking(False)
        self._notifier = QSocketNotifier(self._reader.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._hear)
        self._wakeup = signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
        self._handlers = [(kind, signal.signal(kind, lambda *_: None)) for kind in _KINDS]

    def close(self) -> None:
        """Restore the signal handlers of before."""
        for kind, handler in self._handlers:
            signal.signal(kind, handler)
        self._handlers = []
        signal.set_wakeup_fd(self._wakeup)
        self._notifier.setEnabled(False)
        self._reader.close()
        self._writer.close()

    def _hear(self) -> None:
        with contextlib.suppress(BlockingIOError):
            self._reader.recv(64)
        self.arrived.emit()
