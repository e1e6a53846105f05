"""What a peer counts of its own life for whoever watches the fleet: rounds, traffic and energy, with its version."""

from __future__ import annotations

import threading
from collections import Counter, deque
from typing import Literal

from core.energy import MAX_DEVICE_WATTS
from core.hardware.power_meter import PowerMeter
from core.protocol.events import RoundFinished
from core.security.sanitize import MAX_VERSION_CHARACTERS
from core.version import own_version
from core.worker.compute.device import nvml_index
from core.worker.process.supervisor import StartThread
from core.worker.swarm import (
    MAX_DIALLERS,
    MAX_JOULES,
    MAX_REASON_CHARACTERS,
    ActivityRecord,
    HealthRecord,
    PowerRecord,
)
from core.worker.training.own_traffic import own_traffic

RECENT_ROUNDS = 20  # of which anybody is told why they were not whole


class ActivityCounter:
    """Counts since the worker started; rounds end in threads of their own. ``device`` is the one that computes.

    Rounds of the state follow those of gradients, and are not counted beside them.
    """

    def __init__(self, device: str = "cpu") -> None:
        gpu = nvml_index(device)
        self._power_meter = PowerMeter(gpu) if gpu is not None else None
        self._measures_power = False
        self._version = own_version()[:MAX_VERSION_CHARACTERS]
        self._rounds = Counter[Literal["whole", "partial", "failed"]]()
        self._reasons = deque[str](maxlen=RECENT_ROUNDS)
        self._reached, self._unreached = 0, 0
        self._lock = threading.Lock()

    def add_round(self, finished: RoundFinished) -> None:
        """A round has ended; where it was averaged, a reason tells that it was not whole."""
        if finished.kind == "state":
            return
        with self._lock:
            self._reasons.append(str(finished.reason)[:MAX_REASON_CHARACTERS])
            self._rounds["failed" if not finished.ok else "partial" if finished.reason else "whole"] += 1

    def record(self) -> ActivityRecord:
        """All that was counted so far, as it is published."""
        with self._lock:
            rounds, traffic = dict(self._rounds), own_traffic()
        carried = {"sent_bytes": traffic.sent_bytes, "received_bytes": traffic.received_bytes}
        return ActivityRecord(version=self._version, **carried, **rounds)

    def measure_power(self, leaving: threading.Event, start_thread: StartThread) -> None:
        """Measure a GPU until ``leaving``, in a thread of its own, if NVML knows it; the second call does nothing."""
        if (meter := self._power_meter) is not None and not self._measures_power:
            self._measures_power = True
            start_thread("power", lambda: meter.run(leaving))

    def power(self) -> PowerRecord | None:
        """What the device draws, as it is published; ``None`` where it is not measured."""
        reading = self._power_meter.reading if self._power_meter is not None else None
        if reading is None:
            return None
        return PowerRecord(
            watts=min(round(reading.watts), MAX_DEVICE_WATTS), joules=min(round(reading.joules), MAX_JOULES)
        )

    def note_reachability(self, reached: int, unreached: int) -> None:
        """So many peers have tried to dial us and could, and so many could not; replaces what was noted before."""
        with self._lock:
            self._reached, self._unreached = min(reached, MAX_DIALLERS), min(unreached, MAX_DIALLERS)

    def health(self) -> HealthRecord:
        """Why the latest of the last `RECENT_ROUNDS` was not whole, and whether others reach us, as it is published."""
        with self._lock:
            latest = next(filter(None, reversed(self._reasons)), "")
            return HealthRecord(reason=latest, reached=self._reached, unreached=self._unreached)
