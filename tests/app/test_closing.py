"""A program whose window is closed for good keeps nothing of it: neither widgets nor threads."""

from __future__ import annotations

import contextlib
import signal
import threading
from pathlib import Path
from typing import get_args

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from app.application import Application
from app.controllers.navigator import PageName
from tests.app.conftest import let_qt_delete
from tests.app.test_application import LIMIT_MILLISECONDS, await_devices, open_application, train

WINDOWS = 3


def test_nothing_is_left_of_windows_that_were_opened_and_closed(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path
) -> None:
    handler, threads = signal.getsignal(signal.SIGTERM), threading.active_count()
    for _ in range(WINDOWS):
        with contextlib.closing(open_application(qapp, tmp_path, "good")) as application:
            await_devices(qtbot, application)
            train(qtbot, application)
            show_every_page(application)
        application.close()  # which does nothing
        let_qt_delete()
        assert qapp.allWidgets() == []
        assert not any(map(isValid, (application, application.bridge, application.renderer)))
        assert signal.getsignal(signal.SIGTERM) is handler
        qtbot.waitUntil(lambda: threading.active_count() <= threads, timeout=LIMIT_MILLISECONDS)


def show_every_page(application: Application) -> None:
    """Make every page, most of which the window has never shown."""
    for name in get_args(PageName):
        assert application.pages[name].page is not None
