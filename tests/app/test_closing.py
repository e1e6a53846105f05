"""A program whose window is closed for good keeps nothing of it: neither widgets nor timers, nor memory."""

from __future__ import annotations

import contextlib
import gc
import signal
import threading
import weakref
from functools import partial
from pathlib import Path
from typing import get_args

from PySide6.QtCore import QObject
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
            parts = parts_of(application)
        application.close()  # which does nothing
        let_qt_delete()
        assert qapp.allWidgets() == []
        assert not any(map(isValid, (application, application.bridge, application.renderer)))
        assert signal.getsignal(signal.SIGTERM) is handler
        del application
        qtbot.waitUntil(lambda: threading.active_count() <= threads, timeout=LIMIT_MILLISECONDS)
        qtbot.waitUntil(partial(check_freed, parts), timeout=LIMIT_MILLISECONDS)


def check_freed(parts: dict[str, weakref.ref[object]]) -> None:
    gc.collect()
    assert {name for name, part in parts.items() if part() is not None} == set()


def parts_of(application: Application) -> dict[str, weakref.ref[object]]:
    """The application, its parts, and every page with its presenter, most of which the window has never shown."""
    parts: dict[str, object] = {"application": application}
    parts |= {name: part for name, part in vars(application).items() if isinstance(part, QObject)}
    for name in get_args(PageName):
        parts[f"presenter of {name}"] = application.pages[name]
        parts[f"page of {name}"] = application.pages[name].page
    return {name: weakref.ref(part) for name, part in parts.items()}
