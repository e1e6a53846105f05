"""Notifications with buttons, for desktops without a tray.

WORKAROUND: Qt shows notifications only for a tray icon, and PySide6's D-Bus has no unsigned numbers, which
``org.freedesktop.Notifications.Notify`` takes (Desktop Notifications Specification 1.3). ``notify-send`` of libnotify,
from version 0.8 on, does both: it waits, and prints the button that was pressed.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping

from PySide6.QtCore import QObject, QProcess, Signal

_PROGRAM = "notify-send"
_MOST_WAITING = 3


class Notifier(QObject):
    """Shows notifications; those that still wait for a press end with the program.

    Signals:
        pressed: the key of a button.
    """

    pressed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._waiting: list[QProcess] = []

    def show(self, title: str, words: str, buttons: Mapping[str, str]) -> bool:
        """Show a notification whose buttons have these keys and labels; false where the desktop has no way to."""
        program = shutil.which(_PROGRAM)
        if program is None:
            return False
        options = ["--app-name=Workerbee", "--icon=workerbee", "--hint=string:desktop-entry:workerbee"]
        options += [f"--action={key}={label}" for key, label in buttons.items()]
        process = QProcess(self)
        process.finished.connect(self._on_finished)
        process.start(program, [*options, "--", title, words])
        self._waiting.append(process)
        while len(self._waiting) > _MOST_WAITING:
            self._withdraw(self._waiting.pop(0))
        return True

    def close(self) -> None:
        """Wait for no press any more."""
        while self._waiting:
            self._withdraw(self._waiting.pop())

    def _on_finished(self) -> None:
        ended = [process for process in self._waiting if process.state() == QProcess.ProcessState.NotRunning]
        self._waiting = [process for process in self._waiting if process not in ended]
        for process in ended:
            key = bytes(process.readAllStandardOutput().data()).decode("utf-8", "replace").strip()
            process.deleteLater()
            if key:
                self.pressed.emit(key)

    def _withdraw(self, process: QProcess) -> None:
        process.blockSignals(True)
        process.kill()
        process.waitForFinished(1000)
        process.deleteLater()
