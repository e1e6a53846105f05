"""What each rule sees right now, for the page on which the owner sets it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from core.availability.decision import RuleName
from core.availability.local_time import next_midnight
from core.availability.observation import Observation
from core.availability.rules import AvailabilityRules
from core.availability.verdicts import RULES, busiest_program, current_price, running_programs, verdict
from core.availability.week_hours import next_free_hour


@dataclass(frozen=True)
class RuleView:
    """One rule: whether the owner has switched it on, whether it ``asks`` for a pause at this moment, and what it sees.

    Which values there are depends on the rule. ``is_so`` is a yes or no: on battery, power saver, metered connection,
    free hour. ``amount`` is the charge of the battery (0 to 1), seconds without input, the share of GPU, CPU or memory
    pressure (0 to 1), free bytes of the disk, or a price. ``names`` are games, films or programs that run, the program
    that uses most of the GPU, and what is wrong with a price file. ``traffic`` is the bytes (sent, received) today.
    ``until`` is when it changes by the clock. All of them empty, with ``can_see`` false: nothing can be seen.
    """

    rule: RuleName
    is_on: bool
    asks: bool
    can_see: bool
    is_so: bool | None = None
    amount: float | None = None
    names: tuple[str, ...] = ()
    traffic: tuple[int, int] | None = None
    until: datetime | None = None


@dataclass(frozen=True)
class _Seen:
    is_so: bool | None = None
    amount: float | None = None
    names: tuple[str, ...] = ()
    traffic: tuple[int, int] | None = None
    until: datetime | None = None
    can_see: bool = True


_UNSEEN = _Seen(can_see=False)


def rule_views(rules: AvailabilityRules, observation: Observation) -> tuple[RuleView, ...]:
    """Return every rule with what it sees, in the order of ``RuleName``; a rule that is off sees as well."""
    return tuple(_view(rule, rules, observation) for rule in RULES)


def _view(rule: RuleName, rules: AvailabilityRules, observation: Observation) -> RuleView:
    seen = _SIGHTS[rule](rules, observation)
    asks = verdict(rule, rules, observation) is not None
    return RuleView(
        rule, is_on(rule, rules), asks, seen.can_see, seen.is_so, seen.amount, seen.names, seen.traffic, seen.until
    )


def is_on(rule: RuleName, rules: AvailabilityRules) -> bool:
    """Whether the owner's rules can ever ask for a pause because of this one; a full disk always can."""
    match rule:
        case "disk":
            return True
        case "battery":
            return rules.battery
        case "power_saver":
            return rules.power_saver
        case "metered":
            return rules.metered
        case "game":
            return rules.games
        case "film":
            return rules.films
        case "program":
            return bool(rules.programs)
        case "hours":
            return any("." in day for day in rules.hours)
        case "data":
            return rules.sent_bytes_a_day is not None or rules.received_bytes_a_day is not None
        case _:
            return getattr(rules, _LIMITS[rule]) is not None


_LIMITS: dict[RuleName, str] = {
    "gpu": "gpu_share",
    "memory": "memory_pressure",
    "cpu": "cpu_pressure",
    "idle": "idle_minutes",
    "price": "highest_price",
}


def _yes_or_no(is_so: bool | None) -> _Seen:
    return _UNSEEN if is_so is None else _Seen(is_so)


def _amount(amount: float | None) -> _Seen:
    return _UNSEEN if amount is None else _Seen(amount=amount)


def _names(names: tuple[str, ...] | None) -> _Seen:
    return _UNSEEN if names is None else _Seen(names=names)


def _battery(_rules: AvailabilityRules, seen: Observation) -> _Seen:
    return _UNSEEN if seen.is_on_battery is None else _Seen(seen.is_on_battery, seen.battery)


def _data(_rules: AvailabilityRules, seen: Observation) -> _Seen:
    if seen.sent_today is None or seen.received_today is None:
        return _UNSEEN
    return _Seen(traffic=(seen.sent_today, seen.received_today), until=next_midnight(seen.at))


def _gpu(_rules: AvailabilityRules, seen: Observation) -> _Seen:
    if seen.gpu_uses is None:
        return _UNSEEN
    use = busiest_program(seen.gpu_uses)
    return _Seen(amount=0.0) if use is None else _Seen(amount=use.share, names=(use.program,) if use.program else ())


def _hours(rules: AvailabilityRules, seen: Observation) -> _Seen:
    is_free = verdict("hours", rules, seen) is None
    return _Seen(is_free, until=None if is_free else next_free_hour(rules.hours, seen.at))


def _price(rules: AvailabilityRules, seen: Observation) -> _Seen:
    price = current_price(seen)
    if isinstance(price, str):
        return _Seen(names=(price,), can_see=False)
    reason = verdict("price", rules, seen)
    return _Seen(amount=price, until=None if reason is None else reason.until)


_SIGHTS: dict[RuleName, Callable[[AvailabilityRules, Observation], _Seen]] = {
    "disk": lambda _, seen: _amount(seen.free_disk_bytes),
    "battery": _battery,
    "power_saver": lambda _, seen: _yes_or_no(seen.is_power_saving),
    "metered": lambda _, seen: _yes_or_no(seen.is_metered),
    "data": _data,
    "game": lambda _, seen: _names(seen.games),
    "program": lambda rules, seen: _names(running_programs(rules, seen)),
    "gpu": _gpu,
    "film": lambda _, seen: _names(seen.films),
    "memory": lambda _, seen: _amount(seen.memory_pressure),
    "cpu": lambda _, seen: _amount(seen.cpu_pressure),
    "idle": lambda _, seen: _amount(seen.idle_seconds),
    "hours": _hours,
    "price": _price,
}
