"""What each rule says of one observation: a reason for a pause, or nothing.

What cannot be seen asks for no pause, except where the owner has asked for training at certain times only and nobody
can tell whether this is one: ``idle`` and ``price``. A rule that was asking when it could see no more goes on asking.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import get_args

from core.availability.decision import Reason, RuleName
from core.availability.local_time import after, next_midnight, next_month
from core.availability.observation import GpuUse, Observation
from core.availability.prices import Prices
from core.availability.rules import AvailabilityRules
from core.availability.week_hours import is_free_hour, next_free_hour

RULES: tuple[RuleName, ...] = get_args(RuleName)
LEAST_DISK_BYTES = 1_000_000_000
ENOUGH_DISK_BYTES = 2_000_000_000
"""What must be free again before training goes on, after it was paused for less than ``LEAST_DISK_BYTES``."""
MONTH = "month"
"""The subject of the rule ``data`` where the volume of the month is used up, and not only that of the day."""
FULL_SCREEN = "full_screen"
"""The subject of the rule ``game`` where a full-screen program is in front, and no game has announced itself."""
OTHER_USER = "other_user"
"""The subject of the rule ``idle`` where another user is at the computer, in a session of their own."""
_HYSTERESIS = 0.5  # of a limit, below which a rule that asks for a pause ceases to

_FIELDS: dict[RuleName, tuple[str, ...]] = {
    "disk": ("free_disk_bytes",),
    "battery": ("is_on_battery",),
    "power_saver": ("is_power_saving",),
    "metered": ("is_metered",),
    "data": ("sent_today", "received_today", "sent_month", "received_month"),
    "game": ("games", "full_screen"),
    "program": ("programs",),
    "gpu": ("gpu_uses",),
    "film": ("films",),
    "memory": ("memory_pressure",),
    "cpu": ("cpu_pressure",),
    "idle": ("is_switched",),
}
"""What each rule sees of an observation, but for what it knows by itself what to do about when that is unseen."""

_Verdict = Callable[[AvailabilityRules, Observation, bool], Reason | None]


def verdict(
    rule: RuleName, rules: AvailabilityRules, observation: Observation, *, was_asking: bool = False
) -> Reason | None:
    """Return why this rule asks for a pause, if it does; one that was asking needs less to go on asking."""
    return _VERDICTS[rule](rules, observation, was_asking)


def held_verdict(
    rule: RuleName, rules: AvailabilityRules, observation: Observation, last_seen: Observation
) -> Reason | None:
    """Return why a rule goes on asking although it cannot see any more what it was asking for, if that is so.

    ``last_seen`` is the observation in which it was seen last: what is unseen now counts as it was then.
    """
    lost = [name for name in _FIELDS.get(rule, ()) if getattr(observation, name) is None]
    held = replace(observation, **{name: getattr(last_seen, name) for name in lost})
    reason = verdict(rule, rules, held, was_asking=True) if lost else None
    return None if reason is None else replace(reason, can_see=False)


def busiest_program(uses: tuple[GpuUse, ...]) -> GpuUse | None:
    """The largest use of a GPU by another program, if there is any."""
    return max(uses, key=lambda use: use.share, default=None)


def lasted_seconds(rule: RuleName, observation: Observation) -> float:
    """For how long what the rule asks a pause for has been there when it was looked for; 0 where that is not known."""
    use = busiest_program(observation.gpu_uses or ()) if rule == "gpu" else None
    return 0.0 if use is None else use.lasted_seconds or 0.0


def running_programs(rules: AvailabilityRules, observation: Observation) -> tuple[str, ...] | None:
    """Those of the owner's programs that run, in the owner's order; ``None`` where processes cannot be seen."""
    if observation.programs is None:
        return None
    return tuple(name for name in rules.programs if name in observation.programs)


def current_price(observation: Observation) -> float | str:
    """The price of this hour, or the problem because of which it is not known."""
    if not isinstance(observation.prices, Prices):
        return observation.prices or "missing"
    price = observation.prices.at(observation.at)
    return "old" if price is None else price


def _disk(_rules: AvailabilityRules, seen: Observation, was_asking: bool) -> Reason | None:
    least = ENOUGH_DISK_BYTES if was_asking else LEAST_DISK_BYTES
    return Reason("disk") if seen.free_disk_bytes is not None and seen.free_disk_bytes < least else None


def _battery(rules: AvailabilityRules, seen: Observation, _was_asking: bool) -> Reason | None:
    return Reason("battery") if rules.battery and seen.is_on_battery else None


def _power_saver(rules: AvailabilityRules, seen: Observation, _was_asking: bool) -> Reason | None:
    return Reason("power_saver") if rules.power_saver and seen.is_power_saving else None


def _metered(rules: AvailabilityRules, seen: Observation, _was_asking: bool) -> Reason | None:
    return Reason("metered") if rules.metered and seen.is_metered else None


def _data(rules: AvailabilityRules, seen: Observation, _was_asking: bool) -> Reason | None:
    month = ((rules.sent_bytes_a_month, seen.sent_month), (rules.received_bytes_a_month, seen.received_month))
    if any(_is_used_up(most, used) for most, used in month):
        return Reason("data", MONTH, until=next_month(seen.at))
    day = ((rules.sent_bytes_a_day, seen.sent_today), (rules.received_bytes_a_day, seen.received_today))
    return Reason("data", until=next_midnight(seen.at)) if any(_is_used_up(*each) for each in day) else None


def _is_used_up(most: int | None, used: int | None) -> bool:
    return most is not None and used is not None and used >= most


def _game(rules: AvailabilityRules, seen: Observation, _was_asking: bool) -> Reason | None:
    if not rules.games:
        return None
    if seen.games:
        return Reason("game", seen.games[0])
    return Reason("game", FULL_SCREEN) if seen.full_screen else None


def _program(rules: AvailabilityRules, seen: Observation, _was_asking: bool) -> Reason | None:
    running = running_programs(rules, seen)
    return Reason("program", running[0]) if running else None


def _gpu(rules: AvailabilityRules, seen: Observation, was_asking: bool) -> Reason | None:
    use = busiest_program(seen.gpu_uses or ())
    is_busy = use is not None and _reaches(use.share, rules.gpu_share, was_asking)
    return Reason("gpu", use.program) if use is not None and is_busy else None


def _film(rules: AvailabilityRules, seen: Observation, _was_asking: bool) -> Reason | None:
    return Reason("film", seen.films[0]) if rules.films and seen.films else None


def _memory(rules: AvailabilityRules, seen: Observation, was_asking: bool) -> Reason | None:
    return Reason("memory") if _reaches(seen.memory_pressure, rules.memory_pressure, was_asking) else None


def _cpu(rules: AvailabilityRules, seen: Observation, was_asking: bool) -> Reason | None:
    return Reason("cpu") if _reaches(seen.cpu_pressure, rules.cpu_pressure, was_asking) else None


def _reaches(share: float | None, limit: float | None, was_asking: bool) -> bool:
    if share is None or limit is None:
        return False
    return share >= (limit * _HYSTERESIS if was_asking else limit)


def _idle(rules: AvailabilityRules, seen: Observation, _was_asking: bool) -> Reason | None:
    """Whoever has locked the screen has left, unless another user has come."""
    if rules.idle_minutes is None:
        return None
    if seen.is_switched:
        return Reason("idle", OTHER_USER)
    if seen.is_locked:
        return None
    if seen.idle_seconds is None:
        return Reason("idle", can_see=False)
    missing = rules.idle_minutes * 60 - seen.idle_seconds
    return Reason("idle", until=after(seen.at, missing)) if missing > 0 else None


def _hours(rules: AvailabilityRules, seen: Observation, _was_asking: bool) -> Reason | None:
    if is_free_hour(rules.hours, seen.at):
        return None
    return Reason("hours", until=next_free_hour(rules.hours, seen.at))


def _price(rules: AvailabilityRules, seen: Observation, _was_asking: bool) -> Reason | None:
    if rules.highest_price is None:
        return None
    price = current_price(seen)
    if isinstance(price, str):
        return Reason("price", price, can_see=False)
    if price <= rules.highest_price or not isinstance(seen.prices, Prices):
        return None
    return Reason("price", until=seen.prices.next_cheap(seen.at, rules.highest_price))


_VERDICTS: dict[RuleName, _Verdict] = {
    "disk": _disk,
    "battery": _battery,
    "power_saver": _power_saver,
    "metered": _metered,
    "data": _data,
    "game": _game,
    "program": _program,
    "gpu": _gpu,
    "film": _film,
    "memory": _memory,
    "cpu": _cpu,
    "idle": _idle,
    "hours": _hours,
    "price": _price,
}
