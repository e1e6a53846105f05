"""A computer whose owner sets the clock: every look at it is decided upon, and what follows is remembered."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from core.availability.arbiter import ArbiterState, decide, ignore_today, resume_now, stop_ignoring
from core.availability.decision import Decision, RuleName
from core.availability.observation import GpuUse, Observation
from core.availability.rules import AvailabilityRules
from tests.support.computer.scripted_computer import QUIET

BERLIN = ZoneInfo("Europe/Berlin")
WEDNESDAY = datetime(2026, 11, 25, 14, 0, tzinfo=BERLIN)
BLIND: dict[str, Any] = dict.fromkeys(QUIET)
"""Where nothing can be seen."""


def gpu_use(share: float, program: str = "blender") -> tuple[GpuUse, ...]:
    """Another program that uses that share of the first GPU."""
    return (GpuUse(0, program, share),)


class Computer:
    """Starts on a Wednesday afternoon unless told otherwise; ``changes`` are the times at which free became not."""

    def __init__(self, rules: AvailabilityRules | None = None, at: datetime = WEDNESDAY) -> None:
        self.rules = rules or AvailabilityRules()
        self.at = at
        self.seconds = 0.0
        self.state = ArbiterState()
        self.decision: Decision | None = None
        self.changes: list[float] = []

    def see(self, **seen: Any) -> Decision:
        """Decide about what is seen now, and else is quiet; ``None`` is what cannot be seen."""
        self.state, decision = decide(self.state, self.rules, Observation(self.at, self.seconds, **QUIET | seen))
        if self.decision is not None and self.decision.is_free != decision.is_free:
            self.changes.append(self.seconds)
        self.decision = decision
        return decision

    def after(self, seconds: float, **seen: Any) -> Decision:
        """Let that time pass, and decide."""
        self.seconds += seconds
        self.at = (self.at.astimezone(ZoneInfo("UTC")) + timedelta(seconds=seconds)).astimezone(self.at.tzinfo)
        return self.see(**seen)

    def resume_now(self) -> None:
        """The owner says: go on."""
        self.state = resume_now(self.state, self.at)

    def ignore_today(self, rule: RuleName) -> None:
        """The owner says: never mind that rule until midnight."""
        self.state = ignore_today(self.state, rule, self.at)

    def stop_ignoring(self, rule: RuleName) -> None:
        """The owner takes that back."""
        self.state = stop_ignoring(self.state, rule)
