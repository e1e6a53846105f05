"""The clock of the window: one timer, since each wake-up of a program in the tray costs CPU time.

It is a very coarse one, as others of a second and more are: Qt has all of those go off together, at full seconds.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, QTimer, Signal

_SLOW_SECONDS = 5


class RefreshTimer(QObject):
    """Emits its signals once a second, and some of them less often.

    Signals:
        second: once a second.
        redraw_due: once a second while the window is seen; every five seconds while the tray is all there is to see.
        check_due: every five seconds.
    """

    second = Signal()
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
        self._seconds += 1
        is_slow_tick = self._seconds % _SLOW_SECONDS == 0
        self.second.emit()
        if is_slow_tick or self._is_seen():
            self.redraw_due.emit()
        if is_slow_tick:
            self.check_due.emit()
