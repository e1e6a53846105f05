"""Work that can wait, one piece a turn of the event loop, so that clicks and keys come between."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from PySide6.QtCore import QObject, QTimer


class IdleQueue(QObject):
    """First asked, first done; whoever asks again before its turn keeps its place."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._waiting: dict[Hashable, Callable[[], object]] = {}
        self._clock = QTimer(self, interval=0)
        self._clock.timeout.connect(self._take)

    def ask(self, who: Hashable, deed: Callable[[], object]) -> None:
        """Do it when it is its turn."""
        self._waiting[who] = deed
        self._clock.start()

    def _take(self) -> None:
        deed = self._waiting.pop(next(iter(self._waiting)))
        if not self._waiting:
            self._clock.stop()
        deed()
