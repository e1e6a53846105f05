"""What each rule sees right now, for the page on which the owner sets it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from core.availability.decision import FREE, Decision, RuleName
from core.availability.local_time import next_midnight
from core.availability.observation import Observation
from core.availability.rules import RULE_FIELDS, AvailabilityRules
from core.availability.verdicts import RULES, busiest_program, current_price, running_programs, verdict
from core.availability.week_hours import is_free_hour, next_free_hour


@dataclass(frozen=True)
class RuleView:
    """One rule: whether the owner has switched it on, whether it ``asks`` for a pause at this moment, and what it sees.

    Which values there are depends on the rule. ``is_so`` is a yes or no: on battery, power saver, metered connection,
    free hour, another user at the computer, a full-screen program in front, where ``None`` is that this alone cannot be
    seen. ``amount`` is the charge of the battery (0 to 1), seconds without input, the share of GPU, CPU or memory
    pressure (0 to 1), free bytes of the disk, the number of games where it is known, or a price. ``names`` are games,
    films or programs that run, the program that uses most of the GPU, and what is wrong with a price file. ``traffic``
    is the bytes (sent, received) today, ``month`` those of this month where they are known.
    ``until`` is when it changes by the clock. Without ``can_see``, there is only the problem of a price file.
    """

    rule: RuleName
    is_on: bool
    asks: bool
    can_see: bool
    is_so: bool | None = None
    amount: float | None = None
    names: tuple[str, ...] = ()
    traffic: tuple[int, int] | None = None
    month: tuple[int, int] | None = None
    until: datetime | None = None


def rule_views(rules: AvailabilityRules, observation: Observation, decision: Decision = FREE) -> tuple[RuleView, ...]:
    """Return every rule with what it sees, in the order of ``RuleName``; a rule that is off sees as well.

    What a rule asks for that sees nothing any more, only the last ``decision`` tells.
    """
    held = {reason.rule for reason in decision.reasons if not reason.can_see}
    return tuple(_view(rule, rules, observation, is_held=rule in held) for rule in RULES)


def _view(rule: RuleName, rules: AvailabilityRules, observation: Observation, *, is_held: bool) -> RuleView:
    asks = is_held or verdict(rule, rules, observation) is not None
    return _SIGHTS[rule](RuleView(rule, is_on(rule, rules), asks, can_see=False), rules, observation)


def is_on(rule: RuleName, rules: AvailabilityRules) -> bool:
    """Whether the owner's rules can ever ask for a pause because of this one; a full disk always can."""
    if rule == "disk":
        return True
    if rule == "hours":
        return any("." in day for day in rules.hours)
    return any(_is_set(getattr(rules, field)) for field in RULE_FIELDS[rule])


def _is_set(value: object) -> bool:
    """Whether a switch is on, a limit is there, even one of 0, or a list names anything."""
    return value is not None and value is not False and value != ()


def _yes_or_no(unseen: RuleView, is_so: bool | None) -> RuleView:
    return unseen if is_so is None else replace(unseen, can_see=True, is_so=is_so)


def _amount(unseen: RuleView, amount: float | None) -> RuleView:
    return unseen if amount is None else replace(unseen, can_see=True, amount=amount)


def _names(unseen: RuleView, names: tuple[str, ...] | None) -> RuleView:
    return unseen if names is None else replace(unseen, can_see=True, names=names)


def _battery(unseen: RuleView, _rules: AvailabilityRules, seen: Observation) -> RuleView:
    return replace(_yes_or_no(unseen, seen.is_on_battery), amount=seen.battery)


def _data(unseen: RuleView, _rules: AvailabilityRules, seen: Observation) -> RuleView:
    if seen.sent_today is None or seen.received_today is None:
        return unseen
    traffic, month = (seen.sent_today, seen.received_today), None
    if seen.sent_month is not None and seen.received_month is not None:
        month = (seen.sent_month, seen.received_month)
    return replace(unseen, can_see=True, traffic=traffic, month=month, until=next_midnight(seen.at))


def _game(unseen: RuleView, _rules: AvailabilityRules, seen: Observation) -> RuleView:
    """Games are seen without a full-screen program, and that without games."""
    view = _yes_or_no(_names(unseen, seen.games), seen.full_screen)
    return view if seen.games is None else replace(view, amount=len(seen.games))


def _gpu(unseen: RuleView, _rules: AvailabilityRules, seen: Observation) -> RuleView:
    if seen.gpu_uses is None:
        return unseen
    use = busiest_program(seen.gpu_uses)
    if use is None:
        return _amount(unseen, 0.0)
    return replace(_amount(unseen, use.share), names=(use.program,) if use.program else ())


def _idle(unseen: RuleView, _rules: AvailabilityRules, seen: Observation) -> RuleView:
    """Another user is seen even where nobody's idle time is."""
    view = _amount(unseen, seen.idle_seconds)
    return replace(view, can_see=True, is_so=True) if seen.is_switched else view


def _hours(unseen: RuleView, rules: AvailabilityRules, seen: Observation) -> RuleView:
    is_free = is_free_hour(rules.hours, seen.at)
    return replace(_yes_or_no(unseen, is_free), until=None if is_free else next_free_hour(rules.hours, seen.at))


def _price(unseen: RuleView, rules: AvailabilityRules, seen: Observation) -> RuleView:
    price = current_price(seen)
    if isinstance(price, str):
        return replace(unseen, names=(price,))
    reason = verdict("price", rules, seen)
    return replace(_amount(unseen, price), until=None if reason is None else reason.until)


_SIGHTS: dict[RuleName, Callable[[RuleView, AvailabilityRules, Observation], RuleView]] = {
    "disk": lambda unseen, _, seen: _amount(unseen, seen.free_disk_bytes),
    "battery": _battery,
    "power_saver": lambda unseen, _, seen: _yes_or_no(unseen, seen.is_power_saving),
    "metered": lambda unseen, _, seen: _yes_or_no(unseen, seen.is_metered),
    "data": _data,
    "game": _game,
    "program": lambda unseen, rules, seen: _names(unseen, running_programs(rules, seen)),
    "gpu": _gpu,
    "film": lambda unseen, _, seen: _names(unseen, seen.films),
    "memory": lambda unseen, _, seen: _amount(unseen, seen.memory_pressure),
    "cpu": lambda unseen, _, seen: _amount(unseen, seen.cpu_pressure),
    "idle": _idle,
    "hours": _hours,
    "price": _price,
}
