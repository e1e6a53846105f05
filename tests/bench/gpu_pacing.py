"""How closely a GPU keeps to its owner's limits of power and temperature: a simulated one with thermal mass.

The controllers and the duty cycle are the real ones; clock and GPU are simulated, so that an hour takes seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from core.availability.observation import Observation
from core.availability.pacing import PacerState, pace
from core.availability.rules import AvailabilityRules
from core.worker.training.duty_cycle import DutyCycle
from tests.bench.table import Row, figure_row
from tests.support.computer.simulated_gpu import SimulatedGpu

WATTS, CELSIUS = 200, 62
MICRO_BATCH_SECONDS = 0.05
LOOK_SECONDS = 2.0
SETTLED_SECONDS, WATCHED_SECONDS = 1200.0, 1800.0
MOST_POWER_ERROR, MOST_CELSIUS_ERROR, MOST_BURST_SECONDS = 0.03, 2.0, 1.0
_START = datetime(2026, 11, 25, 12, tzinfo=UTC)


@dataclass
class GpuPacingMeasured:
    """The farthest from a limit once it was reached, as a share of it and in °C; the longest burst in seconds."""

    power_error: float | None = None
    celsius_error: float | None = None
    burst_seconds: float | None = None


class _Training:
    """A loop of micro-batches on a simulated GPU, whose owner has these rules."""

    def __init__(self, **rules: Any) -> None:
        self.now, self.longest_burst = 0.0, 0.0
        self._gpu, self._rules, self._state = SimulatedGpu(), AvailabilityRules(**rules), PacerState()
        self._cycle, self._burst = DutyCycle(lambda: self.now), 0.0

    def look(self) -> tuple[float, float]:
        """Train until the next look, and be paced by it: the mean power in watts, and the temperature in °C."""
        began, computed = self.now, 0.0
        while self.now - began < LOOK_SECONDS:
            with self._cycle.computing():
                self.now += MICRO_BATCH_SECONDS
            computed += MICRO_BATCH_SECONDS
            self._burst = self._burst + MICRO_BATCH_SECONDS if self._cycle.share < 1.0 else 0.0
            self.longest_burst = max(self.longest_burst, self._burst)
            if (rest := self._cycle.rest_seconds) > 0:
                self.now += rest
                self._burst = 0.0
        passed = self.now - began
        watts = self._gpu.compute(computed / passed, passed)
        seen = Observation(
            _START + timedelta(seconds=self.now), self.now, gpu_watts=watts, gpu_celsius=self._gpu.celsius
        )
        self._state, now = pace(self._state, self._rules, seen)
        self._cycle.share = now.compute_share
        return watts, self._gpu.true_celsius

    def watch(self) -> list[tuple[float, float]]:
        """Power and temperature of each look, once the limit has been reached."""
        while self.now < SETTLED_SECONDS:
            self.look()
        seen = list[tuple[float, float]]()
        while self.now < SETTLED_SECONDS + WATCHED_SECONDS:
            seen.append(self.look())
        return seen


def gpu_pacing_deeds(measured: GpuPacingMeasured) -> Mapping[str, Callable[[], str]]:
    """Half an hour at each limit."""

    def measure() -> str:
        by_power, by_heat = _Training(gpu_watts=WATTS), _Training(gpu_celsius=CELSIUS)
        measured.power_error = max(abs(watts - WATTS) for watts, _ in by_power.watch()) / WATTS
        measured.celsius_error = max(abs(celsius - CELSIUS) for _, celsius in by_heat.watch())
        measured.burst_seconds = max(by_power.longest_burst, by_heat.longest_burst)
        return f"{measured.power_error:.1%}, {measured.celsius_error:.1f} °C, {measured.burst_seconds:.2f} s"

    return {"gpu_pacing": measure}


def gpu_pacing_rows(measured: GpuPacingMeasured) -> list[Row]:
    """Power, temperature, and bursts, which fans would follow up and down."""
    where = "of a simulated GPU"
    return [
        figure_row(
            f"power limit of {WATTS} W: farthest from it, {where}",
            None if measured.power_error is None else 100 * measured.power_error,
            "{:.1f} %",
            f"{100 * MOST_POWER_ERROR:.0f} %",
            lambda it: it <= 100 * MOST_POWER_ERROR,
        ),
        figure_row(
            f"temperature limit of {CELSIUS} °C: farthest from it, {where}",
            measured.celsius_error,
            "{:.1f} °C",
            f"{MOST_CELSIUS_ERROR:.0f} °C",
            lambda it: it <= MOST_CELSIUS_ERROR,
        ),
        figure_row(
            f"longest time without a rest while it is slowed, micro-batches of {MICRO_BATCH_SECONDS} s",
            measured.burst_seconds,
            "{:.2f} s",
            f"{MOST_BURST_SECONDS:.0f} s",
            lambda it: it <= MOST_BURST_SECONDS,
        ),
    ]
