"""Sleep: foretold by logind on a private bus, noticed by the clocks, and unknown at once without a bus."""

from __future__ import annotations

import os
import select
import shutil
import time
from collections.abc import Iterator

import pytest
from PySide6.QtDBus import (
    QDBusConnection,
    QDBusMessage,
    QDBusUnixFileDescriptor,
    QDBusVariant,
    QDBusVirtualObject,
)
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.desktop.suspend import SuspendMonitor
from app.desktop.tray_availability import TrayHost
from core.observers.desktop_bus.suspend import seconds_suspended
from tests.support.environment.session_bus import session_bus

LOGIND = ("/org/freedesktop/login1", "org.freedesktop.login1.Manager", "PrepareForSleep")
needs_bus = pytest.mark.skipif(shutil.which("dbus-daemon") is None, reason="there is no dbus-daemon")


@pytest.fixture
def address(qapp: QApplication) -> Iterator[str]:
    """A bus of our own."""
    with session_bus() as its_address:
        yield its_address
        for name in ("ours", "theirs"):
            QDBusConnection.disconnectFromBus(name)


@pytest.fixture
def no_bus(qapp: QApplication) -> QDBusConnection:
    """What a computer without one has."""
    return QDBusConnection.connectToBus("unix:path=/nonexistent", "nowhere")


class Desktop(QDBusVirtualObject):
    """Answers as logind and as a panel do; ``end`` is our end of the pipe that the last inhibitor holds."""

    end: int | None = None

    def introspect(self, _path: str) -> str:
        return ""

    def handleMessage(self, message: QDBusMessage, connection: QDBusConnection) -> bool:  # noqa: N802
        if message.member() == "Inhibit":
            self.end, theirs = os.pipe()
            reply = message.createReply(QDBusUnixFileDescriptor(theirs))
            os.close(theirs)
        else:
            reply = message.createReply(QDBusVariant(True))
        return connection.send(reply)

    def is_released(self) -> bool:
        """Whether whoever had the inhibitor has let it go."""
        assert self.end is not None
        return bool(select.select([self.end], [], [], 0)[0])


@needs_bus
def test_logind_is_held_until_the_run_is_left(qtbot: QtBot, address: str) -> None:
    theirs = QDBusConnection.connectToBus(address, "theirs")
    logind = Desktop()
    assert theirs.registerVirtualObject("/org/freedesktop/login1", logind)
    assert theirs.registerService("org.freedesktop.login1")
    power = SuspendMonitor(QDBusConnection.connectToBus(address, "ours"))
    qtbot.waitUntil(lambda: power.is_holding)
    assert power.supports_inhibit == "watching"
    with qtbot.waitSignal(power.suspending):
        tell(theirs, True)
    assert not logind.is_released()
    power.release_inhibitor()
    qtbot.waitUntil(logind.is_released)
    with qtbot.waitSignal(power.resumed):
        tell(theirs, False)
    qtbot.waitUntil(lambda: power.is_holding)


def tell(bus: QDBusConnection, is_going: bool) -> None:
    """Say what logind says before and after a sleep."""
    message = QDBusMessage.createSignal(*LOGIND)
    message.setArguments([is_going])
    assert bus.send(message)


@pytest.mark.quiet
def test_without_a_bus_it_is_unknown_at_once(qtbot: QtBot, no_bus: QDBusConnection) -> None:
    began = time.monotonic()
    power = SuspendMonitor(no_bus)
    assert power.supports_inhibit == "unknown"
    assert not power.is_holding
    assert time.monotonic() - began < 0.5


def test_a_sleep_that_nobody_foretold_is_noticed_by_the_clocks(qtbot: QtBot, no_bus: QDBusConnection) -> None:
    slept = [0.0]
    power = SuspendMonitor(no_bus, suspended_seconds=lambda: slept[0], poll_seconds=0.01)
    with qtbot.assertNotEmitted(power.resumed, wait=100):
        slept[0] += 1.0  # the time was corrected a little
    with qtbot.waitSignal(power.resumed):
        slept[0] += 3600.0


@pytest.mark.parametrize("has_boot_clock", [True, False])
def test_the_clock_of_sleep_goes_on_only_while_the_computer_is_suspended(
    has_boot_clock: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    awake, asleep = [100.0], [7.0]
    monkeypatch.setattr(time, "monotonic", lambda: awake[0])
    if has_boot_clock:
        monkeypatch.setattr(time, "CLOCK_BOOTTIME", 7, raising=False)
        monkeypatch.setattr(time, "clock_gettime", lambda _clock: awake[0] + asleep[0])
    else:
        monkeypatch.delattr(time, "CLOCK_BOOTTIME", raising=False)
        monkeypatch.setattr(time, "time", lambda: 1.8e9 + awake[0] + asleep[0])
    before = seconds_suspended()
    awake[0] += 60.0
    assert seconds_suspended() == before
    asleep[0] += 3600.0
    assert seconds_suspended() == before + 3600.0


def test_a_platform_that_never_has_a_tray_is_missing_one_at_once(qtbot: QtBot, no_bus: QDBusConnection) -> None:
    host = TrayHost(no_bus)
    with qtbot.waitSignal(host.missing):
        host.start()
