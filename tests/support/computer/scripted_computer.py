"""A computer of which a test says what is seen; it stands for the observers, and for the minutes that rests last."""

from __future__ import annotations

import time
from datetime import datetime

from core.availability.observation import Observation
from core.availability.rules import AvailabilityRules
from core.client.computer_watch import ComputerWatch

SPEED = 1000.0
"""A minute's rest lasts 60 ms."""


class ScriptedComputer:
    """An observer whose ``fields`` are all that it sees."""

    def __init__(self, **fields: object) -> None:
        self.fields = fields

    def observe(self, _rules: AvailabilityRules) -> Observation:
        """What the test says."""
        return Observation(datetime.now().astimezone(), time.monotonic(), **self.fields)  # type: ignore[arg-type]

    def close(self) -> None:
        """Nothing is open."""


def watch_over(computer: ScriptedComputer, speed: float = SPEED) -> ComputerWatch:
    """A watch that looks all the time, and whose clock runs that fast."""
    return ComputerWatch(lambda: computer, AvailabilityRules, clock=lambda: time.monotonic() * speed, look_seconds=0.02)
