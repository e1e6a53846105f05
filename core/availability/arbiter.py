"""One decision out of all rules, with hysteresis, so that it neither flaps nor freezes; the owner's word outranks it.

A pause begins at once. Training goes on when each cause has been over for its rest, and no earlier than
``SHORTEST_PAUSE_SECONDS`` after the pause has interrupted it. So there are at most two changes in any ten minutes,
whatever is seen, unless the owner's own word or changed rules make more.

A rule that was asking when it could see no more (a driver that fails, a service that restarts) goes on asking until it
sees again. That is not bounded in time; the owner may overrule it, and once what they said has run out, it no longer
asks by what it saw before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from core.availability.decision import Decision, Reason, RuleName
from core.availability.local_time import after, next_midnight
from core.availability.observation import Observation
from core.availability.rules import AvailabilityRules
from core.availability.verdicts import RULES, held_verdict, lasted_seconds, verdict

SHORTEST_PAUSE_SECONDS = 600.0
LONGEST_DAY_SECONDS = 25 * 3600.0
_BEFORE_ONSET_SECONDS, _SHORTEST_LOOK_SECONDS = 0.2, 0.5
_MINUTE = 60.0
REST_SECONDS: dict[RuleName, float] = {
    "battery": _MINUTE,
    "power_saver": _MINUTE,
    "metered": _MINUTE,
    "game": 5 * _MINUTE,
    "program": 5 * _MINUTE,
    "gpu": 5 * _MINUTE,
    "film": 5 * _MINUTE,
    "memory": 5 * _MINUTE,
    "cpu": 5 * _MINUTE,
}
"""For how long a cause must be over; where a rule is not named, for no time at all."""
ONSET_SECONDS: dict[RuleName, float] = {"gpu": 2.0, "memory": 10.0, "cpu": 10.0}
"""For how long a cause must last before it asks for a pause; where a rule is not named, for no time at all."""


@dataclass(frozen=True)
class _Cause:
    """A rule that asks for a pause, is about to, or has ceased to and is resting; times are of the state's clock.

    ``seen`` is the observation in which that was seen last.
    """

    reason: Reason
    began: float
    seen: Observation
    has_asked: bool = False
    ended: float | None = None


@dataclass(frozen=True)
class _Ignored:
    """A rule that the owner has told to be ignored: until ``until``, and where ``is_once`` only while it goes on.

    ``ends`` bounds that by the state's clock, for a computer whose date is set back.
    """

    rule: RuleName
    until: datetime
    ends: float
    is_once: bool


@dataclass(frozen=True)
class ArbiterState:
    """What the next decision needs to know of the ones before; ``ArbiterState()`` is that of a start.

    ``clock`` counts the seconds between observations, and never goes back. ``paused_at`` is its time at the pause that
    has interrupted training, ``None`` while the computer is free and where it has not been free before.
    """

    clock: float = 0.0
    monotonic: float | None = None
    rules: AvailabilityRules | None = None
    is_free: bool = False
    paused_at: float | None = None
    causes: tuple[_Cause, ...] = ()
    ignored: tuple[_Ignored, ...] = ()


def decide(state: ArbiterState, rules: AvailabilityRules, observation: Observation) -> tuple[ArbiterState, Decision]:
    """Decide whether the computer is free, once every second or two; the state is for the next call.

    Where the rules are others than before, what no longer asks for a pause is forgotten without any rest.
    """
    before = observation.monotonic if state.monotonic is None else state.monotonic
    now = state.clock + max(0.0, observation.monotonic - before)
    causes = tuple(_causes(state, rules, observation, now))
    ignored = tuple(entry for entry in state.ignored if _is_ignored(entry, causes, observation.at, now))
    names = {entry.rule: entry for entry in ignored}
    asking = [cause for cause in causes if cause.has_asked]
    heeded = [cause for cause in asking if cause.reason.rule not in names]
    paused_at = (now if state.is_free else state.paused_at) if heeded else None
    reasons = tuple(_reason(cause, paused_at, observation.at, now) for cause in heeded)
    decision = _decision(reasons, [names[cause.reason.rule] for cause in asking if cause.reason.rule in names])
    return ArbiterState(now, observation.monotonic, rules, decision.is_free, paused_at, causes, ignored), decision


def onset_left(state: ArbiterState) -> float | None:
    """In how many seconds a cause that has begun has lasted long enough to ask; ``None`` where none is about to."""
    return min(
        (cause.began + ONSET_SECONDS[cause.reason.rule] - state.clock for cause in state.causes if not cause.has_asked),
        default=None,
    )


def seconds_to_look(rules: AvailabilityRules, observation: Observation, usual: float) -> float:
    """In how many seconds to look again: sooner than usual where a use of the GPU is about to ask for a pause.

    So what it asks for is what is seen at that time, and not what was seen before.
    """
    if verdict("gpu", rules, observation) is None:
        return usual
    left = ONSET_SECONDS["gpu"] - lasted_seconds("gpu", observation) - _BEFORE_ONSET_SECONDS
    return min(usual, max(left, _SHORTEST_LOOK_SECONDS)) if left > 0 else usual


def _decision(reasons: tuple[Reason, ...], ignored: Sequence[_Ignored]) -> Decision:
    until = max((entry.until for entry in ignored), key=datetime.timestamp, default=None)
    return Decision(reasons, tuple(entry.rule for entry in ignored), until, any(entry.is_once for entry in ignored))


def resume_now(state: ArbiterState, at: datetime) -> ArbiterState:
    """Ignore what asks for a pause now, each rule until it has ceased to and rested, or until the next midnight.

    The next decision is free, unless another rule begins to ask by then; that one pauses as ever.
    """
    return _ignoring(state, (cause.reason.rule for cause in state.causes), at, is_once=True)


def ignore_today(state: ArbiterState, rule: RuleName, at: datetime) -> ArbiterState:
    """Ignore the rule until the next midnight, however often it asks."""
    return _ignoring(state, [rule], at, is_once=False)


def stop_ignoring(state: ArbiterState, rule: RuleName) -> ArbiterState:
    """Take back what the owner has said: the rule is no longer ignored."""
    return replace(state, ignored=tuple(entry for entry in state.ignored if entry.rule != rule))


def _ignoring(state: ArbiterState, rules: Iterable[RuleName], at: datetime, *, is_once: bool) -> ArbiterState:
    """What the owner said before of the same rule holds if it lasts longer."""
    midnight, ends = next_midnight(at), state.clock + LONGEST_DAY_SECONDS
    held = {entry.rule: entry for entry in state.ignored}
    for rule in rules:
        if rule not in held or held[rule].is_once:
            held[rule] = _Ignored(rule, midnight, ends, is_once)
    return replace(state, ignored=tuple(held.values()))


def _is_ignored(entry: _Ignored, causes: Iterable[_Cause], at: datetime, now: float) -> bool:
    goes_on = not entry.is_once or any(cause.reason.rule == entry.rule for cause in causes)
    return goes_on and _is_in_time(entry, at, now)


def _is_in_time(entry: _Ignored, at: datetime, now: float) -> bool:
    return now < entry.ends and at < entry.until


def _causes(state: ArbiterState, rules: AvailabilityRules, observation: Observation, now: float) -> Iterator[_Cause]:
    """What asks for a pause, is about to, or rests after it, in the order of the rules."""
    known = {cause.reason.rule: cause for cause in state.causes}
    for rule in RULES:
        before = known.get(rule)
        was_asking = before is not None and before.has_asked and before.ended is None
        reason = verdict(rule, rules, observation, was_asking=was_asking)
        if reason is not None:
            began = now - lasted_seconds(rule, observation) if before is None else before.began
            has_asked = (before is not None and before.has_asked) or now - began >= ONSET_SECONDS.get(rule, 0.0)
            yield _Cause(reason, began, observation, has_asked)
        elif before is not None and before.has_asked:
            held = held_verdict(rule, rules, observation, before.seen) if was_asking else None
            cause = _held(before, held, state, observation.at, now) if held else _resting(before, state, rules, now)
            if cause is not None:
                yield cause


def _held(before: _Cause, reason: Reason, state: ArbiterState, at: datetime, now: float) -> _Cause | None:
    """A cause that cannot be seen any more, unless the owner had overruled it and that word has just run out."""
    word = next((entry for entry in state.ignored if entry.rule == reason.rule), None)
    return replace(before, reason=reason) if word is None or _is_in_time(word, at, now) else None


def _resting(before: _Cause, state: ArbiterState, rules: AvailabilityRules, now: float) -> _Cause | None:
    """A cause that is over, until it has rested; where the owner has just changed the rules, it need not rest."""
    if state.rules != rules:
        return None
    seen = replace(before.reason, can_see=True)
    resting = replace(before, reason=seen, ended=now if before.ended is None else before.ended)
    is_ignored = any(entry.rule == seen.rule for entry in state.ignored)
    return resting if now < _end(resting, None if is_ignored else state.paused_at) else None


def _end(cause: _Cause, paused_at: float | None) -> float:
    """When a cause that is over has rested, in seconds of the state's clock."""
    assert cause.ended is not None
    rested = cause.ended + REST_SECONDS.get(cause.reason.rule, 0.0)
    return rested if paused_at is None else max(rested, paused_at + SHORTEST_PAUSE_SECONDS)


def _reason(cause: _Cause, paused_at: float | None, at: datetime, now: float) -> Reason:
    if cause.ended is not None:
        return replace(cause.reason, is_over=True, until=after(at, _end(cause, paused_at) - now))
    earliest = None if paused_at is None else after(at, paused_at + SHORTEST_PAUSE_SECONDS - now)
    if earliest is None:
        return cause.reason
    until = cause.reason.until and max(cause.reason.until, earliest, key=datetime.timestamp)
    is_set_time = until is not None and cause.reason.rule != "idle"
    return replace(cause.reason, until=until, not_before=None if is_set_time else earliest)
