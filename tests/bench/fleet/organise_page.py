"""What the window takes while its page *Organise* shows a thousand peers, with a look at all of them every second.

    python -m tests.bench.fleet.organise_page LOOKS PEERS

The page, the watcher and the pipe are real, on Qt's offscreen platform; the observer's worker is
`simulated_observer`, another process and not counted. Prints `PageUse` as JSON.
"""

from __future__ import annotations

import dataclasses
import json
import sys
import time

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QScrollArea

from app.appearance.qt_localization import QtLocalization
from app.appearance.theme import Theme
from app.controllers.organiser.fleet_watcher import FleetWatcher
from app.pages.organise.page import OrganisePage
from core.files.folders import Folders
from core.fleet.snapshot import FleetSnapshot
from core.run.address import JoinAddress
from core.texts.localization import install
from tests.bench.fleet.page_use import PageUse
from tests.bench.window.event_loop_stalls import BlockWatch
from tests.bench.window.simulated_worker import ADDRESS

SETTLED_LOOKS = 5
LIMIT_SECONDS = 120.0
SIZE = (1280, 800)


class _Measuring:
    """Shows the page as the window does, once a second and at every look, and measures when it has settled."""

    def __init__(self, looks: int, peers: int) -> None:
        self._looks, self._seen = looks, 0
        self._last: FleetSnapshot | None = None
        self.use: PageUse | None = None
        self._page = OrganisePage()
        self._page.resize(*SIZE)
        self._page.show()
        worker = [sys.executable, "-m", "tests.bench.fleet.simulated_observer", str(peers)]
        self._watcher = FleetWatcher(Folders.default(), worker_command=worker)
        self._watcher.changed.connect(self._show)
        column = self._page.findChild(QScrollArea)
        assert column is not None
        self._column = column
        self._stalls = BlockWatch(self._page)
        self._clock = QTimer(self._page, interval=1000)
        self._clock.timeout.connect(self._show)
        self._clock.start()
        self._watcher.watch(JoinAddress.parse(ADDRESS))

    def close(self) -> None:
        """End the worker."""
        self._watcher.close()

    def _show(self) -> None:
        watcher = self._watcher
        self._page.show_fleet(watcher.snapshot, watcher.history)
        self._page.show_watching(watcher.session, is_watching=watcher.is_watching)
        if watcher.snapshot is None or watcher.snapshot is self._last:
            return
        self._last = watcher.snapshot
        self._seen += 1
        self._column.ensureWidgetVisible(self._page.fleet)
        if self._seen == SETTLED_LOOKS:
            self._began, self._computed = time.monotonic(), time.process_time()
            self._stalls.take()
        elif self._seen == SETTLED_LOOKS + self._looks:
            share = (time.process_time() - self._computed) / (time.monotonic() - self._began)
            longest = self._stalls.take()
            self.use = PageUse(share, longest.seconds, longest.cpu_seconds)
            QApplication.quit()


def main() -> int:
    """Measure once."""
    qt = QApplication(sys.argv[:1])
    install(QtLocalization())
    Theme(qt).choose("light")
    measuring = _Measuring(int(sys.argv[1]), int(sys.argv[2]))
    QTimer.singleShot(round(LIMIT_SECONDS * 1000), qt.quit)
    qt.exec()
    measuring.close()
    if measuring.use is None:
        print("The looks did not come in time.", file=sys.stderr)
        return 1
    print(json.dumps(dataclasses.asdict(measuring.use)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
