"""What every test of the window has: no screen, a home of its own, and no patience with Qt's warnings."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QLocale
from PySide6.QtWidgets import QApplication

from app.appearance.qt_localization import QtLocalization
from core.texts.localization import install, installed
from tests.app.support.language_context import speaking

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ["LANGUAGE"] = os.environ["LC_ALL"] = "C.UTF-8"

HERE = Path(__file__).parent


def pytest_configure(config: pytest.Config) -> None:
    """Say which warnings of Qt are none; not by markers, of which pytest-qt reads only one of each test."""
    # what the offscreen platform says of every window that has a least size
    config.addinivalue_line("qt_log_ignore", "does not support propagateSizeHints")
    # what Qt says where a service on the bus ends while it asks who that is
    config.addinivalue_line("qt_log_ignore", "but we thought it was")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A warning of Qt fails the test that caused it."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.qt_log_level_fail("WARNING"))


@pytest.fixture(autouse=True)
def _home_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing of the person who runs the tests is read, written or talked to."""
    monkeypatch.setenv("WORKERBEE_HOME", str(tmp_path / "home"))
    for name, folder in (("XDG_CONFIG_HOME", "config"), ("XDG_RUNTIME_DIR", "runtime")):
        (tmp_path / folder).mkdir(mode=0o700)
        monkeypatch.setenv(name, str(tmp_path / folder))
    for bus in ("DBUS_SESSION_BUS_ADDRESS", "DBUS_SYSTEM_BUS_ADDRESS"):
        monkeypatch.setenv(bus, "unix:path=/nonexistent")
    monkeypatch.delenv("DISPLAY", raising=False)
    yield


@pytest.fixture(autouse=True)
def _localization_of_the_window() -> Iterator[None]:
    """Texts come from Qt's translators, as in the program; afterwards they are as before, and so are numbers."""
    before, locale = installed(), QLocale()
    install(QtLocalization())
    yield
    install(before)
    QLocale.setDefault(locale)


def let_qt_delete() -> None:
    """Have Qt delete what is to be deleted, as it does in each turn of its loop."""
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture(autouse=True)
def _deleted_by_qt(_home_of_its_own: None) -> Iterator[None]:
    """What a test has had deleted is gone before the next one, or else it is laid out and coloured anew there."""
    yield
    let_qt_delete()


@pytest.fixture
def english(qapp: QApplication) -> Iterator[None]:
    """Texts, plurals too, and figures as an English person reads them, wherever and after whatever the test is run."""
    with speaking("en"):
        QLocale.setDefault(QLocale("en_GB"))
        yield
