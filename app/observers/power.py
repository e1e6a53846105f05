"""Battery and power saver: UPower (https://upower.freedesktop.org/docs), and whatever has the power profiles."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtDBus import QDBusConnection

from app.observers.service_answer import Target
from app.observers.service_properties import ServiceProperties

_UPOWER = Target("org.freedesktop.UPower", "/org/freedesktop/UPower", "org.freedesktop.UPower")
_BATTERIES = Target(
    "org.freedesktop.UPower", "/org/freedesktop/UPower/devices/DisplayDevice", "org.freedesktop.UPower.Device"
)
# the newer name and the older one; also of TLP's and tuned's stand-ins
_PROFILES = (
    Target(
        "org.freedesktop.UPower.PowerProfiles",
        "/org/freedesktop/UPower/PowerProfiles",
        "org.freedesktop.UPower.PowerProfiles",
    ),
    Target("net.hadess.PowerProfiles", "/net/hadess/PowerProfiles", "net.hadess.PowerProfiles"),
)
_PORTAL = Target(
    "org.freedesktop.portal.Desktop",
    "/org/freedesktop/portal/desktop",
    "org.freedesktop.portal.PowerProfileMonitor",
)


class PowerObserver(QObject):
    """What the computer runs on.

    Signals:
        changed: something of it may be other than before.
    """

    changed = Signal()

    def __init__(
        self, session_bus: QDBusConnection, system_bus: QDBusConnection, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._upower = ServiceProperties(system_bus, _UPOWER, self)
        self._batteries = ServiceProperties(system_bus, _BATTERIES, self)
        self._profiles = [ServiceProperties(system_bus, each, self) for each in _PROFILES]
        self._portal = ServiceProperties(session_bus, _PORTAL, self)
        for each in (self._upower, self._batteries, *self._profiles, self._portal):
            each.answered.connect(self.changed)

    @property
    def is_on_battery(self) -> bool | None:
        """Whether it runs on its battery; without one it does not."""
        return self._upower.flag("OnBattery")

    @property
    def battery(self) -> float | None:
        """The charge of all its batteries together, 0 to 1; ``None`` also without any."""
        percent = self._batteries.number("Percentage", 0, 100)
        return percent / 100 if percent is not None and self._batteries.flag("IsPresent") else None

    @property
    def is_power_saving(self) -> bool | None:
        """Whether its owner, or an almost empty battery, has chosen to save power."""
        profile = next((name for each in self._profiles if (name := each.text("ActiveProfile"))), None)
        return self._portal.flag("power-saver-enabled") if profile is None else profile == "power-saver"

    def sources(self) -> dict[str, str | None]:
        """The program that tells each of it."""
        has_profile = any(each.text("ActiveProfile") for each in self._profiles)
        saver = "power-profiles-daemon" if has_profile else "xdg-desktop-portal"
        return {
            "is_on_battery": None if self.is_on_battery is None else "UPower",
            "battery": None if self.battery is None else "UPower",
            "is_power_saving": None if self.is_power_saving is None else saver,
        }
