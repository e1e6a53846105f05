"""The graceful end of the program: the run is left first, so that nobody waits for this computer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QEventLoop, QObject, QTimer, Signal

if TYPE_CHECKING:
    from app.shell.shutdown_window import ShutdownWindow

LIMIT_SECONDS = 12.0
_POLL_MILLISECONDS = 50
_SHOW_MILLISECONDS = 250


class GracefulShutdown(QObject):
    """Leaves the run, waits until it is left, and ends the worker after a limit or when the person insists.

    Signals:
        finished: the run is left, or its worker was ended.

    Attributes:
        window: what is shown meanwhile; ``None`` before it has taken a quarter of a second.
    """

    finished = Signal()

    def __init__(
        self,
        leave: Callable[[], None],
        is_over: Callable[[], bool],
        kill: Callable[[], None],
        parent: QObject | None = None,
        *,
        limit_seconds: float = LIMIT_SECONDS,
    ) -> None:
        """``leave`` starts to leave the run, ``is_over`` is polled, ``kill`` ends the worker at once."""
        super().__init__(parent)
        self._leave, self._is_over, self._kill = leave, is_over, kill
        self._limit_seconds = limit_seconds
        self._state: Literal["running", "leaving", "finished"] = "running"
        self._timer = QTimer(self, interval=_POLL_MILLISECONDS)
        self._timer.timeout.connect(self._poll)
        self.window: ShutdownWindow | None = None

    def start(self) -> None:
        """Start to leave the run; the second call does nothing."""
        if self._state != "running":
            return
        self._state = "leaving"
        self._leave()
        if self._is_over():
            QTimer.singleShot(0, self._finish)
            return
        self._timer.start()
        QTimer.singleShot(int(self._limit_seconds * 1000), self, self._give_up)
        QTimer.singleShot(_SHOW_MILLISECONDS, self, self._show_window)

    def wait(self) -> None:
        """Start, and return when it has finished: the desktop ends a program that returns to its loop too early."""
        loop = QEventLoop()
        self.finished.connect(loop.quit)
        self.start()
        if self._state != "finished":
            loop.exec()

    def _show_window(self) -> None:
        from app.shell.shutdown_window import ShutdownWindow

        if self._state == "leaving":
            self.window = ShutdownWindow()
            self.window.force_quit_requested.connect(self._give_up)
            self.window.show()

    def _poll(self) -> None:
        if self._is_over():
            self._finish()

    def _give_up(self) -> None:
        if self._state == "leaving":
            self._kill()
            self._finish()

    def _finish(self) -> None:
        if self._state == "finished":
            return
        self._state = "finished"
        self._timer.stop()
        if self.window is not None:
            self.window.hide()
            self.window.deleteLater()
        self.finished.emit()
