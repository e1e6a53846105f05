"""One look at GPUs alone: what others compute on them, their temperature, their power and their fans."""

from __future__ import annotations

import time
from typing import TypedDict

from core.availability.observation import GpuUse, Observation
from core.availability.rules import AvailabilityRules
from core.hardware.gpu_sensors import GpuSensors
from core.observers.gpu_uses import GpuUses
from core.observers.local_zone import local_now


class GpuObservation(TypedDict):
    """The fields of ``Observation`` that are about GPUs."""

    gpu_uses: tuple[GpuUse, ...] | None
    gpu_celsius: float | None
    gpu_watts: float | None
    fan_percent: float | None


class GpuObserver:
    """Looks at GPUs; for one thread that may hang, as an NVIDIA driver does.

    ``gpus`` are their indices, ``None`` for all: what happens on another GPU is no reason for a pause.
    """

    def __init__(self, gpus: frozenset[int] | None) -> None:
        self.gpus = gpus
        self._uses, self._sensors = GpuUses(), GpuSensors()

    def observed(self, rules: AvailabilityRules) -> GpuObservation:
        """What is seen; what costs time and no rule asks for is not looked at. Never raises."""
        reading = self._sensors.look(self.gpus if rules.measures_gpu else frozenset())
        return GpuObservation(
            gpu_uses=self._uses.look(self.gpus, rules.gpu_share),
            gpu_celsius=reading.celsius,
            gpu_watts=reading.watts,
            fan_percent=reading.fan_percent,
        )

    def observe(self, rules: AvailabilityRules) -> Observation:
        """Look once; every second or two. Never raises."""
        return Observation(at=local_now(), monotonic=time.monotonic(), **self.observed(rules))

    def close(self) -> None:
        """End the session with the GPU's driver."""
        self._uses.close()
        self._sensors.close()
