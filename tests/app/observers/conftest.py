"""A session bus and a system bus of a test's own, on which there is nobody but who the test starts."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest
from PySide6.QtCore import QObject
from PySide6.QtDBus import QDBusConnection
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from installer.environment import has_module
from tests.app.support.mock_service import MockService
from tests.support.environment.session_bus import session_bus


@dataclass
class Buses:
    """Addresses of both, our connections to both, and who else is there."""

    session_address: str
    system_address: str
    session: QDBusConnection
    system: QDBusConnection
    services: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)

    def on_session(self, name: str, path: str, interface: str = "") -> MockService:
        """A service on the session bus."""
        return self._start(MockService(self.session_address, name, path, interface))

    def on_system(self, name: str, path: str, interface: str = "", *, template: str = "") -> MockService:
        """A service on the system bus."""
        return self._start(MockService(self.system_address, name, path, interface, template=template))

    def _start(self, service: MockService) -> MockService:
        return self.services.enter_context(service)


@pytest.fixture
def buses(qapp: QApplication) -> Iterator[Buses]:
    if shutil.which("dbus-daemon") is None or not has_module("dbusmock"):
        pytest.skip("there is no dbus-daemon, or no python3-dbusmock")
    with session_bus() as session, session_bus() as system:
        ours, theirs = (QDBusConnection.connectToBus(at, at) for at in (session, system))
        its = Buses(session, system, ours, theirs)
        with its.services:
            yield its
        for at in (session, system):
            QDBusConnection.disconnectFromBus(at)


@pytest.fixture
def parent(qapp: QApplication) -> Iterator[QObject]:
    """Whoever owns what is tested; it ends with the test."""
    owner = QObject()
    yield owner
    owner.deleteLater()


@pytest.fixture
def no_bus(qapp: QApplication) -> QDBusConnection:
    """What a computer without one has."""
    return QDBusConnection.connectToBus("unix:path=/nonexistent", "nowhere")


def wait_for_value(qtbot: QtBot, look: Callable[[], object], expected: object) -> None:
    """Until that is what is seen."""

    def is_seen() -> bool:
        return look() == expected

    qtbot.waitUntil(is_seen, timeout=60_000)
