"""The window as `python -m app` opens it, except that its settings can be changed from outside.

    python -m tests.support.peers.scripted_window [WORKER …]

WORKER is the command of its workers, where it shall not be the usual one. Each line of its standard input is a JSON
object of settings; “obeyed” is printed once they have been drawn. Beside settings there may be ``scroll_to``, a part
of the settings page (``rules`` or ``hours``), ``at_night``, to help in these hours alone, ``has_memory``, to train
though programs wait for memory, and ``further_gpu``, the label of a GPU to tick on the review page.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from msgspec.structs import replace
from PySide6.QtCore import QPoint, QSocketNotifier, QTimer

from app.application import Application
from app.desktop.launch_request import LaunchRequest
from app.startup import Start, initial_window_for, make_qt
from app.widgets.layout.page_column import PageColumn
from core.availability.presets import NIGHT
from core.files.folders import Folders

_ABOVE = 48  # pixels between the upper edges of the window and of a part
_AGAIN_MILLISECONDS = 200
_DRAWN_MILLISECONDS = 1500  # whatever is said anew once a second has been said


def main() -> int:
    """Until somebody quits."""
    qt = make_qt()
    start = Start(qt, initial_window_for(qt, Folders.default()), worker_command=sys.argv[1:] or None)
    orders = QSocketNotifier(sys.stdin.fileno(), QSocketNotifier.Type.Read, start)

    def listen(application: Application) -> None:
        orders.activated.connect(lambda: obey(application))

    def obey(application: Application) -> None:
        for line in os.read(sys.stdin.fileno(), 65536).splitlines():
            order(application, **json.loads(line))
            QTimer.singleShot(_DRAWN_MILLISECONDS, lambda: print("obeyed", flush=True))

    start.begun.connect(listen)
    return start.run(LaunchRequest())


def order(
    application: Application,
    *,
    scroll_to: str = "",
    at_night: bool = False,
    has_memory: bool = False,
    further_gpu: str = "",
    **settings: Any,
) -> None:
    """Change the settings, and do what else is asked."""
    rules = application.settings_store.settings.availability
    if at_night:
        settings["availability"] = replace(rules, hours=NIGHT)
    if has_memory:
        settings["availability"] = replace(rules, memory_pressure=None)
    application.settings_store.replace(**settings)
    if scroll_to:
        page = application.pages.settings.page
        column = page.findChildren(PageColumn)[0]
        contents = column.widget()
        assert contents is not None
        part = page.availability.grid if scroll_to == "hours" else page.availability
        column.verticalScrollBar().setValue(part.mapTo(contents, QPoint()).y() - _ABOVE)
    if further_gpu:
        tick(application, further_gpu)


def tick(application: Application, gpu: str) -> None:
    """Tick that GPU on the review page, as soon as it is offered there."""
    box = application.pages.review.page.offer.further_devices.boxes.get(gpu)
    if box is None:
        QTimer.singleShot(_AGAIN_MILLISECONDS, lambda: tick(application, gpu))
    else:
        box.click()


if __name__ == "__main__":
    sys.exit(main())
