"""Battery and power saver: UPower (https://upower.freedesktop.org/docs), and whatever has the power profiles."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtDBus import QDBusConnection

from app.observers.service_properties import ServiceProperties
from core.observers.desktop_bus.readings import charge_of, saves_power
from core.observers.desktop_bus.services import BATTERIES, POWER_PORTAL, POWER_PROFILES, UPOWER


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
        self._upower = ServiceProperties(system_bus, UPOWER, self)
        self._batteries = ServiceProperties(system_bus, BATTERIES, self)
        self._profiles = [ServiceProperties(system_bus, each, self) for each in POWER_PROFILES]
        self._portal = ServiceProperties(session_bus, POWER_PORTAL, self)
        for each in (self._upower, self._batteries, *self._profiles, self._portal):
            each.answered.connect(self.changed)

    @property
    def is_on_battery(self) -> bool | None:
        """Whether it runs on its battery; without one it does not."""
        return self._upower.flag("OnBattery")

    @property
    def battery(self) -> float | None:
        """The charge of all its batteries together, 0 to 1; ``None`` also without any."""
        return charge_of(self._batteries)

    @property
    def is_power_saving(self) -> bool | None:
        """Whether its owner, or an almost empty battery, has chosen to save power."""
        by_profile = saves_power(self._profiles)
        return self._portal.flag("power-saver-enabled") if by_profile is None else by_profile

    def sources(self) -> dict[str, str | None]:
        """The program that tells each of it."""
        saver = "xdg-desktop-portal" if saves_power(self._profiles) is None else "power-profiles-daemon"
        return {
            "is_on_battery": None if self.is_on_battery is None else "UPower",
            "battery": None if self.battery is None else "UPower",
            "is_power_saving": None if self.is_power_saving is None else saver,
        }
