"""Everything that the desktop tells, as fields of an observation, and what it costs to know."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from PySide6.QtDBus import QDBusConnection
from pytestqt.qtbot import QtBot

from app.observers.desktop_observer import DesktopObserver
from core.availability.observation import Observation
from tests.app.observers.conftest import Buses
from tests.support.computer.full_screen_window import full_screen_window
from tests.support.environment.session_bus import session_bus
from tests.support.environment.x11_desktop import Desktop

LIMIT = 60_000
UPOWER, UPOWER_PATH = "org.freedesktop.UPower", "/org/freedesktop/UPower"
MUTTER, MUTTER_PATH = "org.gnome.Mutter.IdleMonitor", "/org/gnome/Mutter/IdleMonitor/Core"
HIGHEST_CPU_SHARE = 0.003
OBSERVED_SECONDS = 10.0


def test_the_fields_are_those_of_an_observation(qtbot: QtBot, buses: Buses, parent: QObject) -> None:
    buses.on_system(UPOWER, UPOWER_PATH, template="upower")
    buses.on_session(MUTTER, MUTTER_PATH).add_method("GetIdletime", "t", "ret = 90000")
    desktop = DesktopObserver(buses.session, buses.system, parent, environment={}, poll_seconds=0.1)
    qtbot.waitUntil(lambda: desktop.fields()["is_on_battery"] is False, timeout=LIMIT)
    qtbot.waitUntil(lambda: desktop.fields()["idle_seconds"] == 90.0, timeout=LIMIT)
    qtbot.waitUntil(lambda: desktop.fields()["films"] == (), timeout=LIMIT)
    observation = Observation(at=datetime.now(UTC), monotonic=0.0, **desktop.fields())  # type: ignore[arg-type]
    assert (observation.idle_seconds, observation.is_on_battery, observation.battery) == (90.0, False, None)
    assert desktop.fields().keys() == desktop.sources().keys() <= {each.name for each in fields(Observation)}
    sources = desktop.sources()
    assert (sources["idle_seconds"], sources["is_on_battery"], sources["battery"]) == ("Mutter", "UPower", None)
    desktop.watch_idle(False)
    assert desktop.fields()["idle_seconds"] is None


def test_only_what_changes_a_field_is_told(qtbot: QtBot, buses: Buses, parent: QObject) -> None:
    upower = buses.on_system(UPOWER, UPOWER_PATH, template="upower")
    desktop = DesktopObserver(buses.session, buses.system, parent, environment={})
    qtbot.waitUntil(lambda: desktop.fields()["is_on_battery"] is False, timeout=LIMIT)
    told: list[object] = []
    desktop.changed.connect(lambda: told.append(desktop.fields()["is_on_battery"]))
    upower.update(UPOWER, {"LidIsClosed": ("b", True)})
    upower.update(UPOWER, {"OnBattery": ("b", True)})
    upower.update(UPOWER, {"LidIsClosed": ("b", False)})
    upower.update(UPOWER, {"OnBattery": ("b", False)})
    qtbot.waitUntil(lambda: told[-2:] == [True, False], timeout=LIMIT)
    assert told.count(True) == 1


def test_without_any_bus_nothing_is_known_at_once(qtbot: QtBot, no_bus: QDBusConnection, parent: QObject) -> None:
    desktop = DesktopObserver(no_bus, no_bus, parent, environment={})
    assert set(desktop.fields().values()) == set(desktop.sources().values()) == {None}


@pytest.mark.timeout(180)
def test_a_full_screen_program_on_x11_is_told_without_any_bus(
    qtbot: QtBot, no_bus: QDBusConnection, parent: QObject, tmp_path: Path
) -> None:
    if missing := [program for program in ("Xvfb", "openbox", "xdotool") if shutil.which(program) is None]:
        pytest.skip(f"needs {', '.join(missing)}")
    with Desktop(tmp_path / "desktop", has_panel=False) as screen:
        x11 = {"DISPLAY": screen.environment["DISPLAY"]}
        desktop = DesktopObserver(no_bus, no_bus, parent, environment=x11)
        qtbot.waitUntil(lambda: desktop.fields()["full_screen"] is False, timeout=LIMIT)
        assert desktop.sources()["full_screen"] == "X11"
        game = full_screen_window(screen)
        qtbot.waitUntil(lambda: desktop.fields()["full_screen"] is True, timeout=LIMIT)
        game.tell("quit")
        qtbot.waitUntil(lambda: desktop.fields()["full_screen"] is False, timeout=LIMIT)
    qtbot.waitUntil(lambda: desktop.fields()["full_screen"] is None, timeout=LIMIT)
    assert desktop.sources()["full_screen"] is None


def test_when_the_bus_ends_nothing_is_known_any_more(qtbot: QtBot, no_bus: QDBusConnection, parent: QObject) -> None:
    with session_bus() as address:
        desktop = DesktopObserver(QDBusConnection.connectToBus(address, address), no_bus, parent, environment={})
        qtbot.waitUntil(lambda: desktop.fields()["films"] == (), timeout=LIMIT)
    qtbot.waitUntil(lambda: set(desktop.fields().values()) == {None}, timeout=LIMIT)
    QDBusConnection.disconnectFromBus(address)


@pytest.mark.slow
@pytest.mark.quiet
def test_to_observe_costs_next_to_nothing(buses: Buses) -> None:
    upower = buses.on_system(UPOWER, UPOWER_PATH, template="upower")
    buses.on_session(MUTTER, MUTTER_PATH).add_method("GetIdletime", "t", "ret = 90000")
    program = [sys.executable, "-m", "tests.app.support.observing_program"]
    words = [buses.session_address, buses.system_address, str(OBSERVED_SECONDS)]
    share = subprocess.run([*program, *words], check=True, stdout=subprocess.PIPE, text=True).stdout
    assert float(share) < HIGHEST_CPU_SHARE
    assert upower.is_there()
