"""A program whose window fills the screen of a test's desktop, until a line on its standard input says otherwise."""

from __future__ import annotations

import sys
import threading

from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal
from PySide6.QtWidgets import QApplication, QWidget

from tests.support.environment.x11_desktop import Desktop, Launched

_SOON_SECONDS = 40.0


def full_screen_window(desktop: Desktop, name: str = "game", state: str = "full") -> Launched:
    """A program of that name, by which X11 knows it as well; it can be told ``full``, ``normal``, ``front``, ``quit``.

    What it is told it asks the window manager for, which takes a moment. Once in some hundred starts no window came,
    for a reason that was not found: it is started a second time, and what was seen of the first is printed.
    """
    program = desktop.launch([sys.executable, "-m", __name__, name], name)
    try:
        desktop.window(program, name, _SOON_SECONDS)
    except AssertionError as error:
        print(error)
        program.end()
        program = desktop.launch([sys.executable, "-m", __name__, name], name)
        desktop.window(program, name)
    program.tell(state)
    program.tell("front")
    return program


class _Lines(QObject):
    read = Signal(str)


def _main(name: str) -> None:
    QCoreApplication.setApplicationName(name)
    application, lines, window = QApplication([name]), _Lines(), QWidget()
    window.setWindowTitle(name)
    deeds = {
        "full": window.showFullScreen,
        "normal": window.showNormal,
        "front": window.activateWindow,
        "quit": application.quit,
    }
    lines.read.connect(lambda line: deeds[line](), Qt.ConnectionType.QueuedConnection)
    window.show()

    def read() -> None:
        for line in sys.stdin:
            lines.read.emit(line.strip())

    threading.Thread(target=read, daemon=True).start()
    application.exec()


if __name__ == "__main__":
    _main(sys.argv[1])
