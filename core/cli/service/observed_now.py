"""What the owner's rules can see without a desktop of their own, looked at once by a command that trains nothing."""

from __future__ import annotations

import time

from core.availability.observation import Observation
from core.availability.rules import AvailabilityRules
from core.availability.unobserved_rules import UnobservedRule, unobserved_rules
from core.observers.battery import power
from core.observers.desktop_bus.watch import told_now
from core.observers.local_zone import local_now
from core.observers.pressure import memory_pressure

_PATIENCE_SECONDS = 5.0


def unobserved_now(rules: AvailabilityRules) -> tuple[UnobservedRule, ...]:
    """Return the rules that see nothing here. GPUs are not looked at: their driver may hang, and `doctor` asks it."""
    supply = power()
    fields: dict[str, object] = {"is_on_battery": supply.is_on_battery, "memory_pressure": memory_pressure()}
    told = told_now(rules, _PATIENCE_SECONDS)
    fields |= {name: each.value for name, each in told.items() if each.value is not None}
    seen = Observation(at=local_now(), monotonic=time.monotonic(), programs=frozenset(), **fields)  # type: ignore[arg-type]
    return unobserved_rules(rules, seen, has_gpu=False)
