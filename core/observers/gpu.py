"""One look at GPUs alone: what others compute on them, their temperature, their power and their fans.

NVIDIA's driver tells of its GPUs by NVML, Linux of AMD's and Intel's how busy others keep them, and nothing else.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TypedDict

from core.availability.observation import GpuId, GpuUse, Observation
from core.availability.rules import AvailabilityRules
from core.hardware.gpu_sensors import GpuSensors
from core.observers.drm_uses import DrmUses
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

    ``gpus`` are those that train, ``None`` for all of NVIDIA's: what happens on another GPU is no reason for a pause.
    ``root`` holds ``proc`` and ``sys``, in which Linux tells of GPUs that are not NVIDIA's.
    """

    def __init__(self, gpus: frozenset[GpuId] | None, root: Path = Path("/")) -> None:
        self._on_nvml = None if gpus is None else frozenset(gpu for gpu in gpus if isinstance(gpu, int))
        self._on_bus = frozenset(gpu for gpu in gpus or () if isinstance(gpu, str))
        self._nvml_uses, self._drm_uses, self._sensors = GpuUses(), DrmUses(root), GpuSensors()

    def observed(self, rules: AvailabilityRules) -> GpuObservation:
        """What is seen; what costs time and no rule asks for is not looked at. Never raises."""
        reading = self._sensors.look(self._on_nvml if rules.measures_gpu else frozenset())
        return GpuObservation(
            gpu_uses=self._uses(rules.gpu_share),
            gpu_celsius=reading.celsius,
            gpu_watts=reading.watts,
            fan_percent=reading.fan_percent,
        )

    def observe(self, rules: AvailabilityRules) -> Observation:
        """Look once; every second or two. Never raises."""
        return Observation(at=local_now(), monotonic=time.monotonic(), **self.observed(rules))

    def close(self) -> None:
        """End the session with the GPU's driver."""
        self._nvml_uses.close()
        self._sensors.close()

    def _uses(self, limit: float | None) -> tuple[GpuUse, ...] | None:
        """Of all these GPUs; ``None`` where that of one is not told."""
        told = list(self._told(limit))
        return None if None in told else tuple(chain.from_iterable(uses for uses in told if uses is not None))

    def _told(self, limit: float | None) -> Iterator[tuple[GpuUse, ...] | None]:
        if self._on_bus:
            yield self._drm_uses.look(self._on_bus, limit)
        if self._on_nvml is None or self._on_nvml or not self._on_bus:
            yield self._nvml_uses.look(self._on_nvml, limit)
