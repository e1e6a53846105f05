"""Whether this computer runs on its battery, and how full that is; in Linux, from /sys/class/power_supply.

The files are those of https://www.kernel.org/doc/Documentation/ABI/testing/sysfs-class-power. psutil reads them as
well, but takes the battery of a wireless mouse for that of the computer.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_SUPPLIES = Path("/sys/class/power_supply")
_LINE_POWER = {"Mains", "USB"}


class Power(NamedTuple):
    """``charge`` is a share, 0 to 1; both are ``None`` where they cannot be told."""

    is_on_battery: bool | None = None
    charge: float | None = None


def power(supplies: Path = _SUPPLIES) -> Power:
    """The power supply at this moment; a computer without a battery is never on one. Never raises."""
    try:
        found = sorted(supplies.iterdir())
    except OSError:
        return Power()
    batteries = [supply for supply in found if _is_battery_of_computer(supply)]
    if not batteries:
        return Power(is_on_battery=False)
    return Power(_is_on_battery(found, batteries), _charge(batteries))


def _is_on_battery(supplies: list[Path], batteries: list[Path]) -> bool | None:
    if any(_says(supply, "type") in _LINE_POWER and _says(supply, "online") == "1" for supply in supplies):
        return False
    states = {_says(battery, "status") for battery in batteries}
    if "Discharging" in states:
        return True
    return False if states & {"Charging", "Full", "Not charging"} else None


def _charge(batteries: list[Path]) -> float | None:
    """The mean of all batteries that tell theirs."""
    charges = list(_charges(batteries))
    return sum(charges) / len(charges) if charges else None


def _charges(batteries: list[Path]) -> Iterator[float]:
    for battery in batteries:
        percent = _says(battery, "capacity")
        if percent.isascii() and percent.isdigit():
            yield min(int(percent), 100) / 100


def _is_battery_of_computer(supply: Path) -> bool:
    """A mouse, a keyboard or a headset has a battery of the scope ``Device``."""
    return _says(supply, "type") == "Battery" and _says(supply, "scope") != "Device" and _says(supply, "present") != "0"


def _says(supply: Path, name: str) -> str:
    """One line, empty where there is none: a battery may be taken out in the middle."""
    try:
        return (supply / name).read_text(errors="replace").strip()
    except OSError:
        return ""
