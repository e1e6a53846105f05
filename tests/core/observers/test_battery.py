"""A computer is on its battery, on mains, or has no battery; a folder stands for Linux's /sys/class/power_supply."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.observers.battery import Power, power

MAINS = {"type": "Mains", "online": "1"}
UNPLUGGED = {"type": "Mains", "online": "0"}
BATTERY = {"type": "Battery", "present": "1", "status": "Discharging", "capacity": "81"}
MOUSE = {"type": "Battery", "scope": "Device", "status": "Discharging", "capacity": "30"}


@pytest.mark.parametrize(
    ("supplies", "expected"),
    [
        ([], Power(is_on_battery=False)),
        ([MOUSE], Power(is_on_battery=False)),
        ([BATTERY, UNPLUGGED], Power(True, 0.81)),
        ([BATTERY], Power(True, 0.81)),
        ([BATTERY, MAINS], Power(False, 0.81)),
        ([BATTERY, {"type": "USB", "online": "1"}], Power(False, 0.81)),
        ([BATTERY | {"status": "Full", "capacity": "100"}], Power(False, 1.0)),
        ([BATTERY | {"status": "Unknown", "capacity": "?"}], Power(None, None)),
        ([BATTERY, BATTERY | {"capacity": "41"}, MOUSE], Power(True, 0.61)),
        ([BATTERY | {"present": "0"}, MAINS], Power(is_on_battery=False)),
    ],
)
def test_power_is_what_the_supplies_say(tmp_path: Path, supplies: list[dict[str, str]], expected: Power) -> None:
    for number, supply in enumerate(supplies):
        folder = tmp_path / f"supply{number}"
        folder.mkdir()
        for name, value in supply.items():
            (folder / name).write_text(f"{value}\n")
    found = power(tmp_path)
    assert found.is_on_battery == expected.is_on_battery
    assert found.charge == pytest.approx(expected.charge)


def test_without_that_folder_nothing_can_be_seen(tmp_path: Path) -> None:
    assert power(tmp_path / "none") == Power(None, None)


def test_this_computer_has_an_answer() -> None:
    assert power().is_on_battery in {True, False, None}
