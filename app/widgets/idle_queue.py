"""A queue of work that can wait until Qt's event loop is idle, so that clicks and keys come first."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from PySide6.QtCore import QObject, QTimer


class IdleQueue(QObject):
    """Runs the tasks in the order in which their keys were first submitted, one a turn of the event loop."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._waiting: dict[Hashable, Callable[[], object]] = {}
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self.run_next)

    def submit(self, key: Hashable, task: Callable[[], object]) -> None:
        """Run a task when Qt's loop is idle; it replaces a task with the same key that has not run yet."""
        self._waiting[key] = task
        self._timer.start()

    def run_next(self) -> None:
        """Run the task that was submitted first; called by the timer while tasks wait."""
        task = self._waiting.pop(next(iter(self._waiting)))
        if not self._waiting:
            self._timer.stop()
        task()
