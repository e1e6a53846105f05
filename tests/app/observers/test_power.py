"""Battery and power saver, as UPower and the two names of the power profiles tell them."""

from __future__ import annotations

from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.observers.power import PowerObserver
from tests.app.observers.conftest import Buses
from tests.app.support.mock_service import MockService

LIMIT = 60_000
UPOWER = "org.freedesktop.UPower"
DISPLAY_DEVICE = "/org/freedesktop/UPower/devices/DisplayDevice"
PORTAL = ("org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop")
MONITOR = "org.freedesktop.portal.PowerProfileMonitor"


def laptop(buses: Buses, percent: float) -> MockService:
    upower = buses.on_system(UPOWER, "/org/freedesktop/UPower", template="upower")
    upower.call("SetupDisplayDevice", "iiddddxxbsi", 2, 2, percent, 30.0, 60.0, 8.0, 9000, 0, True, "battery", 1)
    return upower


def test_a_laptop_that_is_unplugged_and_runs_down(qtbot: QtBot, buses: Buses) -> None:
    upower = laptop(buses, 80.0)
    power = PowerObserver(buses.session, buses.system)
    qtbot.waitUntil(lambda: (power.is_on_battery, power.battery) == (False, 0.8), timeout=LIMIT)
    upower.update(UPOWER, {"OnBattery": ("b", True)})
    qtbot.waitUntil(lambda: power.is_on_battery is True, timeout=LIMIT)
    upower.call("SetDeviceProperties", "oa{sv}", DISPLAY_DEVICE, {"Percentage": ("d", 34.0)})
    qtbot.waitUntil(lambda: power.battery == 0.34, timeout=LIMIT)
    assert power.sources() == {"is_on_battery": "UPower", "battery": "UPower", "is_power_saving": None}
    upower.end()
    qtbot.waitUntil(lambda: (power.is_on_battery, power.battery) == (None, None), timeout=LIMIT)


def test_a_computer_without_a_battery_is_on_mains_and_has_no_charge(qtbot: QtBot, buses: Buses) -> None:
    buses.on_system(UPOWER, "/org/freedesktop/UPower", template="upower")
    power = PowerObserver(buses.session, buses.system)
    qtbot.waitUntil(lambda: power.is_on_battery is False, timeout=LIMIT)
    assert power.battery is None


@pytest.mark.parametrize("percent", [("d", 180.0), ("d", -1.0), ("s", "full"), ("b", True)])
def test_a_charge_that_cannot_be_is_none(qtbot: QtBot, buses: Buses, percent: tuple[str, Any]) -> None:
    upower = laptop(buses, 80.0)
    power = PowerObserver(buses.session, buses.system)
    qtbot.waitUntil(lambda: power.battery == 0.8, timeout=LIMIT)
    upower.update(f"{UPOWER}.Device", {"Percentage": percent}, path=DISPLAY_DEVICE)
    qtbot.waitUntil(lambda: power.battery is None, timeout=LIMIT)


@pytest.mark.parametrize("name", ["org.freedesktop.UPower.PowerProfiles", "net.hadess.PowerProfiles"])
def test_either_name_of_the_power_profiles_is_listened_to(qtbot: QtBot, buses: Buses, name: str) -> None:
    profiles = buses.on_system(name, f"/{name.replace('.', '/')}")
    profiles.add_properties(name, {"ActiveProfile": ("s", "balanced")})
    power = PowerObserver(buses.session, buses.system)
    qtbot.waitUntil(lambda: power.is_power_saving is False, timeout=LIMIT)
    profiles.update(name, {"ActiveProfile": ("s", "power-saver")})
    qtbot.waitUntil(lambda: power.is_power_saving is True, timeout=LIMIT)
    assert power.sources()["is_power_saving"] == "power-profiles-daemon"


def test_in_a_sandbox_the_portal_tells_of_the_power_saver(qtbot: QtBot, buses: Buses) -> None:
    portal = buses.on_session(*PORTAL)
    portal.add_properties(MONITOR, {"power-saver-enabled": ("b", False)})
    power = PowerObserver(buses.session, buses.system)
    qtbot.waitUntil(lambda: power.is_power_saving is False, timeout=LIMIT)
    portal.update(MONITOR, {"power-saver-enabled": ("b", True)})
    qtbot.waitUntil(lambda: power.is_power_saving is True, timeout=LIMIT)
    assert power.sources()["is_power_saving"] == "xdg-desktop-portal"
