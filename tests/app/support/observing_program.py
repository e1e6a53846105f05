"""The observers of the desktop, as a program of its own that does nothing else.

    python -m tests.app.support.observing_program SESSION_BUS SYSTEM_BUS SECONDS

It waits until the idle time is known, and prints which share of a core it computes during so many seconds from then on.
"""

from __future__ import annotations

import sys
import time

from PySide6.QtCore import QCoreApplication, QEventLoop, QTimer
from PySide6.QtDBus import QDBusConnection

from app.observers.desktop_observer import DesktopObserver

_POLL_MILLISECONDS = 100


def main() -> None:
    """Observe for that time."""
    session, system = (QDBusConnection.connectToBus(address, address) for address in sys.argv[1:3])
    seconds = float(sys.argv[3])
    qt = QCoreApplication(sys.argv[:1])
    desktop = DesktopObserver(session, system, qt, environment={})
    loop, poll = QEventLoop(), QTimer(interval=_POLL_MILLISECONDS)

    def end_when_known() -> None:
        if desktop.fields()["idle_seconds"] is not None:
            loop.quit()

    poll.timeout.connect(end_when_known)
    poll.start()
    loop.exec()
    poll.stop()
    began = time.process_time()
    QTimer.singleShot(int(seconds * 1000), loop.quit)
    loop.exec()
    print((time.process_time() - began) / seconds)


if __name__ == "__main__":
    main()
