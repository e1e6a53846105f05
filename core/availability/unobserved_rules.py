"""Which of the owner's rules cannot see on this computer what they are about, and when that is news."""

from __future__ import annotations

from typing import Literal

from core.availability.decision import RuleName
from core.availability.observation import Observation
from core.availability.rule_views import rule_views
from core.availability.rules import AvailabilityRules

UnobservedRule = RuleName | Literal["presence"]
"""A rule that pauses, or ``presence``: the limits of pace for while somebody is at the computer."""
PATIENCE_SECONDS = 60.0
"""So long a rule must be unobserved, or observed again, before that is news: services restart."""
_TOLD: tuple[RuleName, ...] = ("battery", "power_saver", "metered", "game", "program", "gpu", "film", "memory", "idle")


def unobserved_rules(
    rules: AvailabilityRules, seen: Observation, *, has_gpu: bool = True
) -> tuple[UnobservedRule, ...]:
    """Return the rules that are on and cannot see anything; those about GPUs only where training uses one.

    Not among them are ``price``, which says itself what is wrong, and ``cpu``, which must measure for a while first.
    """
    unobserved: list[UnobservedRule] = [
        view.rule for view in rule_views(rules, seen) if view.rule in _TOLD and view.is_on and not view.can_see
    ]
    if not has_gpu and "gpu" in unobserved:
        unobserved.remove("gpu")
    is_presence_known = seen.idle_seconds is not None or seen.is_locked is True  # whoever has locked it has left
    if "idle" in unobserved and is_presence_known:
        unobserved.remove("idle")
    if rules.needs_idle_time and rules.idle_minutes is None and not is_presence_known:
        unobserved.append("presence")
    return tuple(unobserved)


class UnobservedRulesNews:
    """Remembers which rules have been said to be unobserved, so that each change is said once."""

    def __init__(self) -> None:
        self._said: tuple[UnobservedRule, ...] | None = None
        self._changed_at: float | None = None

    def look(self, unobserved: tuple[UnobservedRule, ...], monotonic: float) -> tuple[UnobservedRule, ...]:
        """Return the rules that are to be said now: at first all, later those of a change that has lasted."""
        if self._said is None:
            self._said = unobserved
            return unobserved
        if unobserved == self._said:
            self._changed_at = None
            return ()
        self._changed_at = monotonic if self._changed_at is None else self._changed_at
        if monotonic - self._changed_at < PATIENCE_SECONDS:
            return ()
        new = tuple(rule for rule in unobserved if rule not in self._said)
        self._said, self._changed_at = unobserved, None
        return new
