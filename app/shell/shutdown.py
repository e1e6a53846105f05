"""Quitting properly: the others in the run are told first, the person sees it, and nothing freezes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QEventLoop, QObject, QTimer, Signal

if TYPE_CHECKING:
    from app.shell.shutdown_window import ShutdownWindow

LIMIT_SECONDS = 12.0
_LOOK_MILLISECONDS = 50
_SHOW_MILLISECONDS = 250


class GracefulShutdown(QObject):
    """Knows three calls: ``leave`` begins, ``is_over`` is asked often, ``kill`` is for the impatient."""

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
        super().__init__(parent)
        self._leave, self._is_over, self._kill = leave, is_over, kill
        self._limit_seconds = limit_seconds
        self._has_begun = self._has_ended = False
        self.window: ShutdownWindow | None = None

    def begin(self) -> None:
        """Say goodbye; ``finished`` comes when it has been said, or has taken too long."""
        if self._has_begun:
            return
        self._has_begun = True
        self._leave()
        if self._is_over():
            QTimer.singleShot(0, self._end)
            return
        self._looking = QTimer(self, interval=_LOOK_MILLISECONDS)
        self._looking.timeout.connect(self._look)
        self._looking.start()
        QTimer.singleShot(int(self._limit_seconds * 1000), self, self._give_up)
        QTimer.singleShot(_SHOW_MILLISECONDS, self, self._show)

    def wait(self) -> None:
        """Begin, and return when it has finished: the end of a session waits for nobody who returns."""
        loop = QEventLoop()
        self.finished.connect(loop.quit)
        self.begin()
        if not self._has_ended:
            loop.exec()

    def _show(self) -> None:
        from app.shell.shutdown_window import ShutdownWindow

        if not self._has_ended:
            self.window = ShutdownWindow()
            self.window.impatience_shown.connect(self._give_up)
            self.window.show()

    def _look(self) -> None:
        if self._is_over():
            self._end()

    def _give_up(self) -> None:
        if not self._has_ended:
            self._kill()
            self._end()

    def _end(self) -> None:
        if self._has_ended:
            return
        self._has_ended = True
        if hasattr(self, "_looking"):
            self._looking.stop()
        if self.window is not None:
            self.window.hide()
            self.window.deleteLater()
        self.finished.emit()
