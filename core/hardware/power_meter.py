"""What power a GPU takes and what it has drawn, measured from a beginning on beside whatever computes on it."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from core.energy import MAX_DEVICE_WATTS
from core.hardware.gpu_sensors import GpuSensors

LOOK_SECONDS = 10.0
RECENT_LOOKS = 10  # of which the mean power is told: a round takes another power than computing does
STALE_SECONDS = 60.0  # after which a figure is none any more: the driver hangs, or does not tell


@dataclass(frozen=True)
class PowerReading:
    """The mean power of the last looks in watts, and what was drawn since the meter began, in joules."""

    watts: float
    joules: float


@dataclass(frozen=True)
class _Look:
    """When a look was, of ``time.monotonic()``, the power since the one before, and all that was drawn by then."""

    at: float
    watts: float
    joules: float


class PowerMeter:
    """Measures the GPU of that index of NVML's; `run` is for a thread of its own, which may hang in the driver.

    What is drawn while the driver does not tell is not counted, and what other programs draw on the GPU is.
    """

    def __init__(self, gpu: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._gpus, self._clock, self._sensors = frozenset({gpu}), clock, GpuSensors()
        self._looks = deque[_Look](maxlen=RECENT_LOOKS)
        self._looked_at: float | None = None

    def run(self, leaving: threading.Event) -> None:
        """Look every `LOOK_SECONDS` until ``leaving``; never raises."""
        self.look()
        while not leaving.wait(LOOK_SECONDS):
            self.look()
        self._sensors.close()

    def look(self) -> None:
        """Read the sensor once more, and add what was drawn meanwhile."""
        watts, now = self._sensors.look(self._gpus).watts, self._clock()
        if watts is not None and 0 <= watts <= MAX_DEVICE_WATTS:
            seconds = 0.0 if self._looked_at is None else now - self._looked_at
            drawn = self._looks[-1].joules if self._looks else 0.0
            self._looks.append(_Look(now, watts, drawn + watts * seconds))
        self._looked_at = now

    @property
    def reading(self) -> PowerReading | None:
        """What was measured; ``None`` where nothing was of late."""
        looks = tuple(self._looks)
        if not looks or self._clock() - looks[-1].at > STALE_SECONDS:
            return None
        return PowerReading(sum(look.watts for look in looks) / len(looks), looks[-1].joules)
