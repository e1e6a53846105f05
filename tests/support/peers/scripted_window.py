"""The window as `python -m app` opens it, except that its settings can be changed from outside.

    python -m tests.support.peers.scripted_window [WORKER …]

WORKER is the command of its workers, where it shall not be the usual one. Each line of its standard input is a JSON
object of settings; “obeyed” is printed once they have been drawn. Beside settings there may be ``size``, of the window,
``click``, the words on a button, ``scroll_to``, a part of a page (``settings``, ``rules`` or ``hours``, ``peers`` or
``top`` of the organiser's page, the ``catalogue`` of the first one), ``at_night``, to help in these hours alone,
``has_memory``, to train though programs wait for memory, ``further_gpu``, the label of a GPU to tick on the review
page, and ``order``, what the organiser asks of all; the window waits for that, as it does for a button.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from msgspec.structs import replace
from PySide6.QtCore import QPoint, QSocketNotifier, QTimer
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget

from app.application import Application
from app.desktop.launch_request import LaunchRequest
from app.shell.page_factory import PageFactory
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
            wishes = json.loads(line)
            state, button = wishes.pop("order", ""), wishes.pop("click", "")
            order(application, **wishes)
            when_so(application, state, button)

    start.begun.connect(listen)
    return start.run(LaunchRequest())


def when_so(application: Application, state: str, words: str) -> None:
    """Click on that button, and say that all is drawn, once it is there and the organiser has asked for the state."""
    button = button_with(words) if words else None
    is_ordered = not state or application.session_controller.session.order.state == state
    if not is_ordered or (words and button is None):
        QTimer.singleShot(_AGAIN_MILLISECONDS, lambda: when_so(application, state, words))
        return
    if button is not None:
        button.click()
    QTimer.singleShot(_DRAWN_MILLISECONDS, lambda: print("obeyed", flush=True))


def order(
    application: Application,
    *,
    size: tuple[int, int] | None = None,
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
    if size:
        application.window.resize(*size)
    if scroll_to:
        QTimer.singleShot(_AGAIN_MILLISECONDS, lambda: scroll(application, scroll_to))
    if further_gpu:
        tick(application, further_gpu)


def scroll(application: Application, name: str) -> None:
    """Scroll the page of that part until it is on top."""
    pages = application.pages
    page, part = _part(pages, name)
    column = page.findChildren(PageColumn)[0]
    contents = column.widget()
    assert contents is not None
    column.verticalScrollBar().setValue(part.mapTo(contents, QPoint()).y() - _ABOVE)


def _part(pages: PageFactory, name: str) -> tuple[QWidget, QWidget]:
    match name:
        case "settings":
            return pages.settings.page, pages.settings.page.back
        case "rules":
            return pages.settings.page, pages.settings.page.availability
        case "hours":
            return pages.settings.page, pages.settings.page.availability.grid
        case "peers":
            return pages.organise.page, pages.organise.page.fleet
        case "top":
            return pages.organise.page, pages.organise.page.back
        case "catalogue":
            return pages.join.page, pages.join.page.catalogue
        case _:
            raise ValueError(name)


def button_with(words: str) -> QAbstractButton | None:
    """The button that can be clicked on with these words on it, or with that name."""
    every = (each for each in QApplication.allWidgets() if isinstance(each, QAbstractButton))
    seen = (each for each in every if each.isVisible() and each.isEnabled())
    return next((each for each in seen if words in (each.text().replace("&", ""), each.accessibleName())), None)


def tick(application: Application, gpu: str) -> None:
    """Tick that GPU on the review page, as soon as it is offered there."""
    box = application.pages.review.page.offer.further_devices.boxes.get(gpu)
    if box is None:
        QTimer.singleShot(_AGAIN_MILLISECONDS, lambda: tick(application, gpu))
    else:
        box.click()


if __name__ == "__main__":
    sys.exit(main())
