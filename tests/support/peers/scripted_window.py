"""The window as `python -m app` opens it, except that its settings can be changed from outside.

    python -m tests.support.peers.scripted_window

Each line of its standard input is a JSON object of settings; “obeyed” is printed once they have been drawn.
"""

from __future__ import annotations

import json
import os
import sys

from PySide6.QtCore import QSocketNotifier, QTimer

from app.application import Application
from app.desktop.launch_request import LaunchRequest
from app.startup import Start, initial_window_for, make_qt
from core.files.folders import Folders

_DRAWN_MILLISECONDS = 1500  # whatever is said anew once a second has been said


def main() -> int:
    """Until somebody quits."""
    qt = make_qt()
    start = Start(qt, initial_window_for(qt, Folders.default()))
    orders = QSocketNotifier(sys.stdin.fileno(), QSocketNotifier.Type.Read, start)

    def listen(application: Application) -> None:
        orders.activated.connect(lambda: obey(application))

    def obey(application: Application) -> None:
        for line in os.read(sys.stdin.fileno(), 65536).splitlines():
            application.settings_store.replace(**json.loads(line))
            QTimer.singleShot(_DRAWN_MILLISECONDS, lambda: print("obeyed", flush=True))

    start.begun.connect(listen)
    return start.run(LaunchRequest())


if __name__ == "__main__":
    sys.exit(main())
