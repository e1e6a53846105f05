"""An upgrade by the package manager while the program runs, which then begins anew as the new version; or a removal."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal

from app.desktop.launch_request import MINIMISED
from core.files.package_mark import PackageMark

POLL_MILLISECONDS = 20_000


class UpgradeWatcher(QObject):
    """Looks now and then whether the program was replaced or removed; a restart is due as soon as it disturbs nobody.

    Signals:
        program_removed: the files are gone, and the program is to end; emitted once.
        restart_due: the files are those of another version, and the program is to begin anew; emitted once.
    """

    program_removed = Signal()
    restart_due = Signal()

    def __init__(self, mark: PackageMark, may_restart: Callable[[], bool], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._mark, self._may_restart = mark, may_restart
        self._timer = QTimer(self, interval=POLL_MILLISECONDS)
        self._timer.timeout.connect(self.poll)
        self._timer.start()

    def poll(self) -> None:
        """Look once whether the program was removed, or was replaced and may begin anew."""
        if self._mark.is_removed():
            self._timer.stop()
            self.program_removed.emit()
        elif self._mark.is_replaced() and self._may_restart():
            self._timer.stop()
            self.restart_due.emit()


def begin_anew(is_seen: bool) -> None:
    """Become the program that is installed now, in the same process, with a window as it was; does not return."""
    given = len(sys.argv) - 1
    command = sys.orig_argv[: len(sys.orig_argv) - given] if given else sys.orig_argv
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(sys.executable, [sys.executable, *command[1:], *([] if is_seen else [MINIMISED])])
