"""The driver of the owner's rules: it has them decide again and again, and posts what they have decided."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from core.availability.arbiter import ArbiterState, decide, ignore_today, onset_left, resume_now, stop_ignoring
from core.availability.decision import FREE, Decision, Reason
from core.availability.observation import Observation
from core.availability.pacing import Pace, PacerState, pace
from core.availability.rules import AvailabilityRules
from core.protocol.client_events import AvailabilityDecided

_STEADY_SECONDS = 30.0
_AFTER_LOOK_SECONDS, _SHORTEST_SECONDS = 0.1, 0.05


class AvailabilityGuard:
    """Decides whether the computer is free, and posts each decision that differs from the one before.

    A front end calls ``check`` every two seconds at least, and as soon as it knows that something has changed; always
    on one thread. ``observe`` returns what is seen now, ``None`` before anything is known; ``note`` is given
    every decision, with the pace and the time. The client that is given the posted events does the rest. Where nothing
    ``pauses``, no rule is asked, a full disk neither: the computer counts as free, and only the pace is decided.
    """

    def __init__(
        self,
        rules: Callable[[], AvailabilityRules],
        observe: Callable[[], Observation | None],
        post: Callable[[AvailabilityDecided], None],
        note: Callable[[Decision, Pace, datetime], None] = lambda _decision, _pace, _at: None,
        *,
        pauses: bool = True,
    ) -> None:
        self.observation: Observation | None = None
        self._rules, self._observe, self._post, self._note = rules, observe, post, note
        self._pauses, self._state, self._pacer = pauses, ArbiterState(), PacerState()
        self._posted = AvailabilityDecided(Decision(), rules())

    def check(self) -> bool:
        """Decide by what is seen now; whether anything is."""
        seen, rules = self._observe(), self._rules()
        if seen is None:
            return False
        self.observation = seen
        self._state, decision = decide(self._state, rules, seen) if self._pauses else (self._state, FREE)
        self._pacer, pace_now = pace(self._pacer, rules, seen)
        self._note(decision, pace_now, seen.at)
        decided = AvailabilityDecided(decision, rules, _rounded(pace_now))
        if not _is_known(decided, self._posted):
            self._posted = decided
            self._post(decided)
        return True

    def next_check_seconds(self, next_look_seconds: float) -> float:
        """In how many seconds to check again: after the next look, or when a cause has lasted long enough to ask."""
        due, onset = next_look_seconds + _AFTER_LOOK_SECONDS, onset_left(self._state)
        return max(_SHORTEST_SECONDS, due if onset is None else min(due, onset))

    def resume_now(self) -> None:
        """Let training go on although rules ask for a pause: at once, and until what they ask it for is over."""
        if self.observation is not None:
            self._state = resume_now(self._state, self.observation.at)
            self.check()

    def ignore_today(self) -> None:
        """Ignore the rule that is the reason for the pause until the next midnight, however often it asks."""
        if self.observation is not None and (reason := self._posted.decision.reason) is not None:
            self._state = ignore_today(self._state, reason.rule, self.observation.at)
            self.check()

    def stop_ignoring(self) -> None:
        """Take back what the owner has said of all rules that are ignored now."""
        for rule in self._posted.decision.ignored:
            self._state = stop_ignoring(self._state, rule)
        self.check()


def _is_known(decided: AvailabilityDecided, posted: AvailabilityDecided) -> bool:
    """Whether nothing has changed but the fractions of a second that every look at a clock brings."""
    before, now = posted.decision.reasons, decided.decision.reasons
    if decided.pace != posted.pace:
        return False
    if replace(decided.decision, reasons=()) != replace(posted.decision, reasons=()):
        return False
    if (decided.rules, len(now)) != (posted.rules, len(before)):
        return False
    return all(_is_same(one, other) for one, other in zip(before, now, strict=True))


def _rounded(pace: Pace) -> Pace:
    """As it is shown and sent to the worker: the last digits change with every look."""
    return replace(pace, compute_share=round(pace.compute_share, 2), measured=float(round(pace.measured)))


def _is_same(before: Reason, now: Reason) -> bool:
    if replace(before, until=None, not_before=None) != replace(now, until=None, not_before=None):
        return False
    return _is_same_time(before.until, now.until) and _is_same_time(before.not_before, now.not_before)


def _is_same_time(before: datetime | None, now: datetime | None) -> bool:
    if before is None or now is None:
        return before == now
    return abs((now - before).total_seconds()) < _STEADY_SECONDS
