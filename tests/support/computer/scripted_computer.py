"""A computer of which a test says what is seen; it stands for the observers, and for the minutes that rests last."""

from __future__ import annotations

import time
from datetime import datetime
from typing import Any

from core.availability.observation import Observation
from core.availability.rules import AvailabilityRules
from core.client.computer_watch import ComputerWatch

SPEED = 1000.0
"""A minute's rest lasts 60 ms."""
QUIET: dict[str, Any] = {
    "is_on_battery": False,
    "is_power_saving": False,
    "is_metered": False,
    "games": (),
    "full_screen": False,
    "films": (),
    "programs": frozenset(),
    "gpu_uses": (),
    "cpu_pressure": 0.0,
    "memory_pressure": 0.0,
    "free_disk_bytes": 10**12,
    "sent_today": 0,
    "received_today": 0,
    "sent_month": 0,
    "received_month": 0,
}
"""What is seen where no program, no battery and no network is any reason for a pause."""


class ScriptedComputer:
    """An observer that sees its ``fields``, and else what is quiet; ``None`` is what it cannot see."""

    def __init__(self, **fields: object) -> None:
        self.fields = fields

    def observe(self, _rules: AvailabilityRules) -> Observation:
        """What the test says."""
        return Observation(datetime.now().astimezone(), time.monotonic(), **QUIET | self.fields)

    def close(self) -> None:
        """Nothing is open."""


def watch_over(computer: ScriptedComputer, speed: float = SPEED) -> ComputerWatch:
    """A watch that looks all the time, and whose clock runs that fast."""
    return ComputerWatch(lambda: computer, AvailabilityRules, clock=lambda: time.monotonic() * speed, look_seconds=0.02)
