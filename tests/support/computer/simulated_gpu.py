"""A simulated GPU with thermal mass: it stands for one that trains, at the share of the time that it is given.

The chip is warm within seconds of the power, its cooler within a minute or two; the fan turns faster the warmer the
chip is, and cools better the faster it turns. The driver's temperature is in whole degrees.
"""

from __future__ import annotations

from dataclasses import dataclass

_STEP_SECONDS = 0.25


@dataclass
class SimulatedGpu:
    """``full_watts`` while it computes, ``idle_watts`` else; temperatures in °C, the fan as its driver tells."""

    full_watts: float = 320.0
    idle_watts: float = 30.0
    cooler_kelvin_a_watt: float = 0.16
    chip_kelvin_a_watt: float = 0.05
    cooler_seconds: float = 90.0
    chip_seconds: float = 4.0
    room_celsius: float = 22.0
    has_fan: bool = True
    joules: float = 0.0

    def __post_init__(self) -> None:
        self._cooler = self.room_celsius + self.idle_watts * self.cooler_kelvin_a_watt
        self._chip = self._cooler

    @property
    def celsius(self) -> float:
        """As the driver tells."""
        return float(int(self._chip))

    @property
    def true_celsius(self) -> float:
        """As it is."""
        return self._chip

    @property
    def fan_percent(self) -> float:
        """A usual curve: 30 % up to 40 °C, all of it at 90."""
        return float(round(30 + 70 * min(max((self._chip - 40) / 50, 0.0), 1.0)))

    def compute(self, share: float, seconds: float) -> float:
        """Let that time pass, in bursts that are shorter than that; the mean power, in watts."""
        watts = self.idle_watts + share * (self.full_watts - self.idle_watts)
        for _ in range(round(seconds / _STEP_SECONDS)):
            cooling = 1.0 + (self.fan_percent / 100 - 0.3 if self.has_fan else 0.0)
            warmth = self.room_celsius + watts * self.cooler_kelvin_a_watt / cooling
            self._cooler += (warmth - self._cooler) * _STEP_SECONDS / self.cooler_seconds
            self._chip += (
                (self._cooler + watts * self.chip_kelvin_a_watt - self._chip) * _STEP_SECONDS / self.chip_seconds
            )
        self.joules += watts * seconds
        return watts
