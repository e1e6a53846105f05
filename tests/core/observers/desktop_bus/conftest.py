"""A session bus and a system bus of a test's own, on which there is nobody but who the test starts."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from core.observers.desktop_bus.connection import BusConnection
from core.observers.desktop_bus.reader import DesktopReader
from installer.environment import has_module
from tests.app.support.mock_service import MockService
from tests.support.environment.session_bus import session_bus

LOGIND, LOGIND_PATH = "org.freedesktop.login1", "/org/freedesktop/login1"
MANAGER = f"{LOGIND}.Manager"
SEAT, SESSION = f"{LOGIND}.Seat", f"{LOGIND}.Session"
SEAT_PATH, SESSION_PATH = f"{LOGIND_PATH}/seat/seat0", f"{LOGIND_PATH}/session/c1"
NETWORK_MANAGER = ("org.freedesktop.NetworkManager", "/org/freedesktop/NetworkManager")


class Logind(MockService):
    """logind, of which only what is about suspends is used."""

    @property
    def is_waiting(self) -> bool:
        """Whether somebody holds an inhibitor, so that it would wait before a suspend."""
        [inhibitors] = self.call("ListInhibitors", interface=MANAGER)
        return [(what, who, mode) for what, who, _why, mode, *_of in inhibitors] == [("sleep", "Workerbee", "delay")]

    def prepare_for_sleep(self, is_suspending: bool) -> None:
        """Say what it says before a suspend and after it."""
        self.emit(MANAGER, "PrepareForSleep", "b", ("b", is_suspending))


@dataclass
class Buses:
    """Addresses of both, and who else is there."""

    session_address: str
    system_address: str
    services: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)

    def on_session(self, name: str, path: str, *, template: str = "") -> MockService:
        """A service on the session bus."""
        return self.services.enter_context(MockService(self.session_address, name, path, template=template))

    def on_system(self, name: str, path: str, *, template: str = "") -> MockService:
        """A service on the system bus."""
        return self.services.enter_context(MockService(self.system_address, name, path, template=template))

    def network_manager(self, metered: int) -> MockService:
        """NetworkManager, with one of its five words for it."""
        service = self.on_system(*NETWORK_MANAGER)
        service.add_properties(NETWORK_MANAGER[0], {"Metered": ("u", metered)})
        return service

    def logind(self) -> Logind:
        """logind, without any seat."""
        return self.services.enter_context(Logind(self.system_address, LOGIND, LOGIND_PATH, template="logind"))

    def seat(self) -> MockService:
        """logind, with a seat that has a screen, on which nobody's session is shown."""
        service = self.on_system(LOGIND, LOGIND_PATH, template="logind")
        service.call("AddSeat", "s", "seat0")
        service.update(SEAT, {"CanGraphical": ("b", True)}, path=SEAT_PATH)
        return service

    def desktop(self, *, user: int | None = None, kind: str = "wayland") -> MockService:
        """The same seat, which shows the session of that user; usually our own user's."""
        service = self.seat()
        service.call("AddSession", "ssusb", "c1", "seat0", os.getuid() if user is None else user, "somebody", True)
        service.update(SESSION, {"Type": ("s", kind)}, path=SESSION_PATH)
        return service

    def reader(self, *, answer_seconds: float = 30.0, rest_seconds: float = 0.0) -> DesktopReader:
        """Who asks on both."""
        session, system = (
            BusConnection(address, answer_seconds=answer_seconds, rest_seconds=rest_seconds)
            for address in (self.session_address, self.system_address)
        )
        reader = DesktopReader(session, system, {})
        self.services.callback(reader.close)
        return reader


@pytest.fixture
def buses() -> Iterator[Buses]:
    if shutil.which("dbus-daemon") is None or not has_module("dbusmock"):
        pytest.skip("there is no dbus-daemon, or no python3-dbusmock")
    with session_bus() as session, session_bus() as system:
        its = Buses(session, system)
        with its.services:
            yield its
