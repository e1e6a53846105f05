"""How warm GPUs are, what power they take and how fast their fans turn, as NVIDIA's driver measures it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from core.hardware.nvml import ask_energy, ask_power, ask_temperature
from core.hardware.nvml_session import NvmlSession


@dataclass(frozen=True)
class GpuReading:
    """°C, watts, and the fan's per cent of its full speed; of several GPUs, the largest. ``None`` is not measured."""

    celsius: float | None = None
    watts: float | None = None
    fan_percent: float | None = None


class GpuSensors:
    """Reads the sensors of GPUs; for one thread, which may hang in the driver.

    Power is the mean since the last look where the driver counts energy (since Volta): what computes in bursts takes
    another power at each moment.
    """

    def __init__(self) -> None:
        self._session = NvmlSession()
        self._energy: dict[int, tuple[float, float]] = {}

    def look(self, gpus: frozenset[int] | None = None) -> GpuReading:
        """Read those GPUs, all where ``None``; nothing is known where the driver does not tell. Never raises."""
        if gpus is not None and not gpus:
            return GpuReading()
        try:
            readings = list(self._readings(gpus))
        except Exception as error:  # no driver, no library, or a fault in either
            self._session.log_once(f"NVML: {error!r}")
            self.close()
            return GpuReading()
        return GpuReading(*(_largest(figures) for figures in zip(*readings, strict=True)) if readings else ())

    def close(self) -> None:
        """End the session with the driver; the next look opens another."""
        self._session.close()

    def _readings(self, gpus: frozenset[int] | None) -> Iterator[tuple[float | None, ...]]:
        nvml = self._session.opened()
        for index in range(nvml.nvmlDeviceGetCount()):
            if gpus is None or index in gpus:
                handle = nvml.nvmlDeviceGetHandleByIndex(index)
                yield (_celsius(nvml, handle), self._watts(nvml, index, handle), _fan_percent(nvml, handle))

    def _watts(self, nvml: Any, index: int, handle: Any) -> float | None:
        with contextlib.suppress(nvml.NVMLError):
            joules, now = ask_energy(nvml, handle)["energy_joules"], time.monotonic()
            before = self._energy.get(index)
            self._energy[index] = (joules, now)
            if before is not None and now > before[1] and joules >= before[0]:
                return float((joules - before[0]) / (now - before[1]))
        with contextlib.suppress(nvml.NVMLError):
            return float(ask_power(nvml, handle)["power_watts"])
        return None


def _celsius(nvml: Any, handle: Any) -> float | None:
    with contextlib.suppress(nvml.NVMLError):
        return float(ask_temperature(nvml, handle)["temperature_c"])
    return None


def _fan_percent(nvml: Any, handle: Any) -> float | None:
    """Of the first fan; a GPU that is cooled by its case or by water has none."""
    with contextlib.suppress(nvml.NVMLError):
        return float(nvml.nvmlDeviceGetFanSpeed(handle))
    return None


def _largest(figures: tuple[float | None, ...]) -> float | None:
    return max((figure for figure in figures if figure is not None), default=None)
