"""Who tells the owner's rules of the desktop: the part of `doctor` about D-Bus, a line for each kind of thing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from core.availability.decision import RuleName
from core.availability.rule_views import is_on
from core.availability.rules import AvailabilityRules
from core.cli.commands.diagnostics import Finding
from core.observers.battery import power
from core.observers.desktop_bus.reader import EVERYTHING, NOBODY, Told
from core.observers.desktop_bus.watch import told_now
from core.texts.settings.unobserved_rules import tellers

_PATIENCE_SECONDS = 5.0
_LOCKED = "logind tells that the screen is locked, or that nobody is logged in"


@dataclass(frozen=True)
class _Line:
    subject: str
    field: str
    rule: RuleName


_LINES = (
    _Line("idle time", "idle_seconds", "idle"),
    _Line("screen lock", "is_locked", "idle"),
    _Line("games", "games", "game"),
    _Line("films", "films", "film"),
    _Line("metered", "is_metered", "metered"),
    _Line("power saver", "is_power_saving", "power_saver"),
    _Line("battery", "is_on_battery", "battery"),
)


def desktop_sources(rules: AvailabilityRules) -> Iterator[Finding]:
    """Examine who tells what the rules of `join` and of the service ask for, whether a rule is on or not."""
    told = told_now(EVERYTHING, _PATIENCE_SECONDS)
    for line in _LINES:
        is_asked = rules.needs_idle_time if line.rule == "idle" else is_on(line.rule, rules)
        yield _finding(line, told, is_asked)


def _finding(line: _Line, told: Mapping[str, Told], is_asked: bool) -> Finding:
    source = _source(line, told)
    if source is not None:
        return Finding("good", line.subject, source)
    if not is_asked:
        return Finding("good", line.subject, "nobody tells it, and no rule of yours asks")
    return Finding("doubtful", line.subject, "nobody tells it", f"It would be told by {tellers(line.rule)}.")


def _source(line: _Line, told: Mapping[str, Told]) -> str | None:
    source = told.get(line.field, NOBODY).source
    if source is not None:
        return f"told by {source}"
    if line.field == "idle_seconds" and told.get("is_locked", NOBODY).value is True:
        return _LOCKED
    if line.field == "is_on_battery" and power().is_on_battery is not None:
        return "told by the kernel"
    return None
