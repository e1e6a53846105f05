"""Whatever is seen, training neither flaps, nor goes on against a rule, nor stays paused for ever."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import partial
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from core.availability.arbiter import ONSET_SECONDS
from core.availability.decision import RuleName
from core.availability.observation import Observation
from core.availability.rule_views import is_on, rule_views
from core.availability.rules import AvailabilityRules
from core.availability.verdicts import RULES, verdict
from tests.core.availability.owner import BERLIN, BLIND, WEDNESDAY, Computer
from tests.core.availability.strategies import (
    AVAILABILITY_RULES,
    CALM,
    NERVOUS_STEPS,
    RULES_THAT_END,
    SECONDS,
    SEEN,
    STARTS,
    STEPS,
)
from tests.support.hypothesis_profile import tried

SHORTEST_PAUSE_SECONDS = LONGEST_REST_SECONDS = 600.0
PLAYING = partial(replace, games=True, battery=True)


def asking(rules: AvailabilityRules, seen: Observation) -> set[RuleName]:
    """The rules that ask for a pause, seen by themselves."""
    return {rule for rule in RULES if verdict(rule, rules, seen) is not None}


@tried(60)
@given(AVAILABILITY_RULES | RULES_THAT_END.map(PLAYING), STARTS, STEPS | NERVOUS_STEPS)
def test_in_any_ten_minutes_there_are_two_changes_at_most(
    rules: AvailabilityRules, at: datetime, steps: list[tuple[float, dict[str, Any]]]
) -> None:
    computer = Computer(rules, at)
    computer.see(**CALM)
    for seconds, seen in steps:
        computer.after(seconds, **seen)
    for first, third in zip(computer.changes, computer.changes[2:], strict=False):
        assert third - first >= SHORTEST_PAUSE_SECONDS


@tried(60)
@given(AVAILABILITY_RULES, STARTS, STEPS)
def test_a_rule_that_asks_and_goes_on_asking_is_a_reason(
    rules: AvailabilityRules, at: datetime, steps: list[tuple[float, dict[str, Any]]]
) -> None:
    computer = Computer(rules, at)
    since: dict[RuleName, float] = {}
    for seconds, seen in steps:
        decision = computer.after(seconds, **seen)
        asks = asking(rules, Observation(computer.at, computer.seconds, **seen))
        since = {rule: since.get(rule, computer.seconds) for rule in asks}
        must = {rule for rule in asks if computer.seconds - since[rule] >= ONSET_SECONDS.get(rule, 0.0)}
        assert must <= {reason.rule for reason in decision.reasons}
        games = [reason for reason in decision.reasons if reason.rule == "game" and "game" not in asks]
        assert all(reason.is_over or not reason.can_see for reason in games)


@tried(60)
@given(RULES_THAT_END, STARTS, STEPS | NERVOUS_STEPS, st.lists(SECONDS, min_size=1, max_size=10))
def test_while_nothing_can_be_seen_any_more_what_asked_for_the_pause_goes_on_asking(
    rules: AvailabilityRules, at: datetime, steps: list[tuple[float, dict[str, Any]]], blind: list[float]
) -> None:
    computer = Computer(rules, at)
    for seconds, seen in steps:
        before = computer.after(seconds, **seen)
    asking_last = {reason.rule for reason in before.reasons if not reason.is_over and reason.rule != "data"}
    for seconds in blind:
        after = computer.after(seconds, **BLIND)
        assert asking_last <= {reason.rule for reason in after.reasons if not reason.is_over}
        assert not any(reason.can_see for reason in after.reasons if not reason.is_over)


@tried(60)
@given(RULES_THAT_END, STARTS, STEPS | NERVOUS_STEPS)
def test_once_nothing_asks_any_more_it_is_free_again(
    rules: AvailabilityRules, at: datetime, steps: list[tuple[float, dict[str, Any]]]
) -> None:
    computer = Computer(rules, at)
    for seconds, seen in steps:
        computer.after(seconds, **seen)
    computer.after(1, **CALM)
    assert computer.after(LONGEST_REST_SECONDS, **CALM).is_free


@tried(60)
@given(AVAILABILITY_RULES | RULES_THAT_END.map(PLAYING), STARTS, STEPS | NERVOUS_STEPS)
def test_no_pause_ends_before_the_time_that_its_reason_names(
    rules: AvailabilityRules, at: datetime, steps: list[tuple[float, dict[str, Any]]]
) -> None:
    computer = Computer(rules, at)
    computer.see(**CALM)
    named: list[datetime] = []
    for seconds, seen in steps:
        decision = computer.after(seconds, **seen)
        if decision.is_free:
            assert all(each <= computer.at for each in named)
            named.clear()
        named += [reason.not_before for reason in decision.reasons if reason.not_before is not None]


@tried(60)
@given(AVAILABILITY_RULES, STARTS, STEPS)
def test_the_owner_who_resumes_is_obeyed_at_once(
    rules: AvailabilityRules, at: datetime, steps: list[tuple[float, dict[str, Any]]]
) -> None:
    computer = Computer(rules, at)
    for seconds, seen in steps:
        before = computer.after(seconds, **seen)
    computer.resume_now()
    decision = computer.see(**seen)
    assert decision.is_free
    assert {reason.rule for reason in before.reasons if not reason.is_over} <= set(decision.ignored)


@tried(60)
@given(
    RULES_THAT_END,
    st.lists(st.tuples(st.datetimes(), st.floats(), SEEN, st.booleans()), min_size=1, max_size=20),
)
def test_no_clock_can_crash_it_or_freeze_a_pause(
    rules: AvailabilityRules, looks: list[tuple[datetime, float, dict[str, Any], bool]]
) -> None:
    computer = Computer(rules)
    for at, seconds, seen, is_resumed in looks:
        computer.at, computer.seconds = at.replace(tzinfo=BERLIN), seconds
        computer.see(**seen)
        rule_views(rules, Observation(computer.at, computer.seconds, **seen))
        if is_resumed:
            computer.resume_now()
    computer.at, computer.seconds = WEDNESDAY, 0.0
    computer.see(**CALM)
    computer.after(1, **CALM)
    assert computer.after(LONGEST_REST_SECONDS, **CALM).is_free


@given(AVAILABILITY_RULES, STARTS, SEEN)
def test_a_rule_that_is_off_never_asks_and_a_time_that_is_promised_is_to_come(
    rules: AvailabilityRules, at: datetime, seen: dict[str, Any]
) -> None:
    observation = Observation(at, 0.0, **seen)
    for view in rule_views(rules, observation):
        assert view.is_on or not view.asks
        assert view.is_on == is_on(view.rule, rules)
        assert view.until is None or view.until > at - timedelta(seconds=1)
