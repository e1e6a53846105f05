"""A suspend as the window follows it: logind waits until the session has left its run, which is joined again then."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from app.desktop.suspend import SuspendController, SuspendMonitor
from installer.environment import has_module
from tests.core.observers.desktop_bus.conftest import LOGIND, LOGIND_PATH, Logind
from tests.support.environment.session_bus import session_bus
from tests.support.environment.x11_desktop import wait_for

LIMIT_SECONDS = 60.0
LIMIT_MILLISECONDS = int(LIMIT_SECONDS * 1000)


@pytest.fixture
def address() -> Iterator[str]:
    """A bus of our own."""
    if shutil.which("dbus-daemon") is None or not has_module("dbusmock"):
        pytest.skip("there is no dbus-daemon, or no python3-dbusmock")
    with session_bus() as its_address:
        yield its_address


@pytest.fixture
def logind(address: str) -> Iterator[Logind]:
    """python-dbusmock's logind on that bus."""
    with Logind(address, LOGIND, LOGIND_PATH, template="logind") as service:
        yield service


def test_logind_waits_until_the_run_is_left(qtbot: QtBot, address: str, logind: Logind) -> None:
    """The parts between logind and a session, which is a stand-in."""
    session, monitor = LeavingSession(), SuspendMonitor(address=lambda: address)
    controller = SuspendController(session, monitor)
    try:
        wait_for(lambda: logind.is_waiting, "the inhibitor", LIMIT_SECONDS)
        logind.prepare_for_sleep(True)
        qtbot.waitUntil(lambda: session.calls == ["prepare"], timeout=LIMIT_MILLISECONDS)
        controller.update()
        assert logind.is_waiting, "the session is still being left"
        session.may_suspend = True
        controller.update()
        wait_for(lambda: not logind.is_waiting, "the suspend", LIMIT_SECONDS)
        logind.prepare_for_sleep(False)
        qtbot.waitUntil(lambda: session.calls == ["prepare", "resume"], timeout=LIMIT_MILLISECONDS)
        assert session.threads == {threading.main_thread()}
        wait_for(lambda: logind.is_waiting, "the next inhibitor", LIMIT_SECONDS)
    finally:
        monitor.close()
    wait_for(lambda: not logind.is_waiting, "the end of the watch", LIMIT_SECONDS)


class LeavingSession:
    """Stands for a session that needs a while to leave its run: what it was asked, and on which threads."""

    may_suspend = False

    def __init__(self) -> None:
        self.calls, self.threads = list[str](), set[threading.Thread]()

    def prepare_suspend(self) -> bool:
        self._note("prepare")
        return True

    def resume_after_suspend(self) -> None:
        self._note("resume")

    def _note(self, call: str) -> None:
        self.calls.append(call)
        self.threads.add(threading.current_thread())
