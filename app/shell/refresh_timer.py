"""The clock of the window: one timer, since each wake-up of a program in the tray costs CPU time.

It is a very coarse one, as others of a second and more are: Qt has all of those go off together, at full seconds. While
nobody sees the window, it goes off every `RECORD_SECONDS_HIDDEN`.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from app.controllers.recording_controller import RECORD_SECONDS_HIDDEN

_SLOW_SECONDS = 5


class RefreshTimer(QObject):
    """Emits its signals once a second while the window is seen, and less often while the tray is all there is to see.

    Signals:
        record_due: once a second while the window is seen; every `RECORD_SECONDS_HIDDEN` otherwise.
        redraw_due: once a second while the window is seen; every five seconds otherwise, on average.
        check_due: every five seconds, on average.
    """

    record_due = Signal()
    redraw_due = Signal()
    check_due = Signal()

    def __init__(self, is_seen: Callable[[], bool], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._is_seen = is_seen
        self._seconds = 0
        self._timer = QTimer(self, interval=1000, timerType=Qt.TimerType.VeryCoarseTimer)
        self._timer.timeout.connect(self._tick)

    def start(self) -> None:
        """Start to emit the signals."""
        self._timer.start()

    def stop(self) -> None:
        """Emit no signals from now on."""
        self._timer.stop()

    def _tick(self) -> None:
        before, is_seen = self._seconds, self._is_seen()
        self._seconds += self._timer.interval() // 1000
        is_slow_tick = self._seconds // _SLOW_SECONDS != before // _SLOW_SECONDS
        interval = 1000 * (1 if is_seen else RECORD_SECONDS_HIDDEN)
        if self._timer.interval() != interval:  # another one begins anew
            self._timer.setInterval(interval)
        self.record_due.emit()
        if is_seen or is_slow_tick:
            self.redraw_due.emit()
        if is_slow_tick:
            self.check_due.emit()
