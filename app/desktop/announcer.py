"""Live announcements for screen readers: what the program does from now on, said once."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget

SETTLED_MILLISECONDS = 1000  # a state that has passed by then is not worth a word


class Announcer:
    """Has a screen reader say the newest of the given words, politely and once; without a reader it does nothing.

    A screen reader is told by ``QAccessibleAnnouncementEvent``, which is AT-SPI's signal ``Announcement`` on Linux.
    """

    def __init__(self, window: QWidget) -> None:
        self._window = window
        self._newest = self._said = ""
        self._timer = QTimer(window)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SETTLED_MILLISECONDS)
        self._timer.timeout.connect(self._say)

    def announce(self, words: str) -> None:
        """Say these words soon, unless other words come before; empty ones take back what has not been said."""
        if words != self._newest:
            self._newest = words
            if QAccessible.isActive():
                self._timer.start()

    def _say(self) -> None:
        if self._newest and self._newest != self._said:
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self._window, self._newest))
        self._said = self._newest
