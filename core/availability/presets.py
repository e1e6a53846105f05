"""Rules that most owners want, by one word each."""

from __future__ import annotations

from typing import Literal

from msgspec.structs import replace

from core.availability.decision import RuleName
from core.availability.rules import PACE_LIMITS, RULE_FIELDS, AvailabilityRules

Preset = Literal["always", "unneeded", "away", "night"]
_UNNEEDED = AvailabilityRules()
_OWN: tuple[RuleName, ...] = ("data", "program", "price")
"""Rules about which no preset says anything."""
_WHAT_MAY_BE_NEEDED = tuple(field for rule, fields in RULE_FIELDS.items() if rule not in _OWN for field in fields)
_ALWAYS = AvailabilityRules(
    battery=False, power_saver=False, metered=False, games=False, gpu_share=None, memory_pressure=None
)
AWAY_MINUTES = 5
NIGHT = ("x" * 7 + "." * 15 + "xx",) * 7
"""From 22 to 7 o'clock."""


def with_preset(rules: AvailabilityRules, preset: Preset) -> AvailabilityRules:
    """Return the rules as the preset has them; the owner's own programs, prices, amounts and limits of pace stay."""
    unneeded = replace(rules, **{name: getattr(_UNNEEDED, name) for name in _WHAT_MAY_BE_NEEDED})
    match preset:
        case "unneeded":
            return unneeded
        case "away":
            return replace(unneeded, idle_minutes=AWAY_MINUTES)
        case "night":
            return replace(unneeded, hours=NIGHT)
        case "always":
            return replace(rules, **{name: getattr(_ALWAYS, name) for name in _WHAT_MAY_BE_NEEDED})


def only_pace(rules: AvailabilityRules) -> AvailabilityRules:
    """Return the rules without any that pauses, but with the limits of pace."""
    return replace(_ALWAYS, **{name: getattr(rules, name) for name in PACE_LIMITS})


def preset_of(rules: AvailabilityRules) -> Preset | None:
    """Return the preset that makes nothing else of these rules, if there is one."""
    presets: tuple[Preset, ...] = ("always", "unneeded", "away", "night")
    return next((preset for preset in presets if with_preset(rules, preset) == rules), None)
