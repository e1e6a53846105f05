"""Without a tray, as in WSL, the window can always be brought back: WSLg shows windows, but has no panel.

What stands for it: Qt's platform is said to be one with a tray, and neither a session bus nor an X server answers,
as in a WSL without systemd.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtDBus import QDBusConnection
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.application import Application
from app.desktop import tray_availability
from app.desktop.launch_request import LaunchRequest
from app.desktop.tray_availability import TrayHost
from core.files.folders import Folders
from core.records.settings import Settings, save_settings
from tests.app.test_application import LIMIT_MILLISECONDS, await_devices, open_application

PLATFORMS = ("wayland", "xcb")


@pytest.fixture(params=PLATFORMS)
def _wslg(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    platform = SimpleNamespace(platformName=lambda: request.param)
    monkeypatch.setattr(tray_availability, "QGuiApplication", platform)
    monkeypatch.setattr(tray_availability, "POLL_SECONDS", 0.05)
    monkeypatch.setattr("app.shell.tray_controller._PATIENCE_SECONDS", 0.1)


@pytest.fixture
def application(qapp: QApplication, qtbot: QtBot, tmp_path: Path, _wslg: None) -> Iterator[Application]:
    """Opened by hand, with its window."""
    with contextlib.closing(open_application(qapp, tmp_path, "good")) as application:
        await_devices(qtbot, application)
        yield application


def test_a_tray_is_missing_and_never_appears(qtbot: QtBot, _wslg: None) -> None:
    host = TrayHost(QDBusConnection("no such bus"), patience_seconds=0.2)
    with qtbot.assertNotEmitted(host.appeared), qtbot.waitSignal(host.missing, timeout=LIMIT_MILLISECONDS):
        host.start()


def test_where_qt_has_no_tray_at_all_it_is_missing_at_once(qtbot: QtBot) -> None:
    host = TrayHost(QDBusConnection("no such bus"))  # the tests' own platform, offscreen
    with qtbot.waitSignal(host.missing):
        host.start()


def test_a_window_that_is_closed_while_a_panel_is_still_looked_for_is_minimised_and_comes_back(
    application: Application,
) -> None:
    window = application.window
    assert not application.tray_controller.tray.is_visible
    window.close()
    assert window.isVisible() and window.isMinimized(), "it is not hidden: the taskbar of Windows shows it"
    assert "no tray" in window.notice.callout.text
    application.intake.receive(LaunchRequest())  # what a second start hands to the first
    assert window.isVisible() and not window.isMinimized()


def test_a_program_that_was_to_start_in_the_tray_shows_its_window(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path, _wslg: None
) -> None:
    save_settings(Folders.default().settings_file, Settings(start_minimised=True))
    with contextlib.closing(open_application(qapp, tmp_path, "good")) as application:
        qtbot.waitUntil(application.window.isVisible, timeout=LIMIT_MILLISECONDS)
        assert not application.window.isMinimized()
