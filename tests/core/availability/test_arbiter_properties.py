"""Whatever is seen, training neither flaps, nor goes on against a rule, nor stays paused for ever."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from core.availability.arbiter import ONSET_SECONDS, SHORTEST_PAUSE_SECONDS
from core.availability.decision import RuleName
from core.availability.observation import GpuUse, Observation
from core.availability.prices import Prices
from core.availability.rule_views import is_on, rule_views
from core.availability.rules import ALWAYS, AvailabilityRules
from core.availability.verdicts import RULES, verdict
from tests.core.availability.owner import BERLIN, WEDNESDAY, Computer
from tests.support.hypothesis_profile import tried

LONGEST_REST_SECONDS = 600.0
SHARE = st.sampled_from([0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 1.0])
NAMES = st.lists(st.sampled_from(["tuxkart", "vlc", "blender"]), max_size=2).map(tuple)
DAY = st.text("x.", min_size=24, max_size=24) | st.just(ALWAYS)
BYTES = st.integers(10**6, 10**9)


def maybe(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """One of them, or what cannot be seen or is not limited."""
    return st.none() | values


AVAILABILITY_RULES = st.builds(
    AvailabilityRules,
    battery=st.booleans(),
    power_saver=st.booleans(),
    metered=st.booleans(),
    games=st.booleans(),
    films=st.booleans(),
    gpu_share=maybe(st.sampled_from([0.1, 0.2, 1.0])),
    programs=NAMES,
    idle_minutes=maybe(st.integers(1, 240)),
    cpu_pressure=maybe(st.sampled_from([0.1, 0.2, 1.0])),
    memory_pressure=maybe(st.sampled_from([0.1, 0.2, 1.0])),
    hours=st.tuples(*[DAY] * 7),
    highest_price=maybe(st.floats(-1, 1)),
    sent_bytes_a_day=maybe(BYTES),
    received_bytes_a_day=maybe(BYTES),
)
PRICES = st.lists(st.floats(-1, 1), min_size=1, max_size=48).map(
    lambda prices: Prices(tuple(WEDNESDAY.timestamp() + 3600 * hour for hour in range(len(prices))), tuple(prices))
)
SEEN = st.fixed_dictionaries(
    {},
    optional={
        "idle_seconds": maybe(st.floats(0, 20_000)),
        "is_locked": maybe(st.booleans()),
        "is_on_battery": maybe(st.booleans()),
        "is_power_saving": maybe(st.booleans()),
        "is_metered": maybe(st.booleans()),
        "games": maybe(NAMES),
        "films": maybe(NAMES),
        "gpu_uses": maybe(st.builds(GpuUse, st.just(0), st.just("blender"), SHARE).map(lambda use: (use,))),
        "programs": maybe(NAMES.map(frozenset)),
        "cpu_pressure": maybe(SHARE),
        "memory_pressure": maybe(SHARE),
        "free_disk_bytes": maybe(st.integers(0, 4_000_000_000)),
        "sent_today": maybe(st.integers(0, 2 * 10**9)),
        "received_today": maybe(st.integers(0, 2 * 10**9)),
        "prices": maybe(PRICES | st.sampled_from(["missing", "broken"])),
    },
)
STEPS = st.lists(st.tuples(st.sampled_from([0.5, 1.0, 2.0, 30.0, 60.0, 299.0, 700.0]), SEEN), min_size=1, max_size=25)
STARTS = st.datetimes(datetime(2026, 1, 1), datetime(2027, 12, 31)).map(lambda at: at.replace(tzinfo=BERLIN))
NOTHING_ASKS = AvailabilityRules()
CALM: dict[str, Any] = {"idle_seconds": 1e6, "prices": Prices((0.0,), (0.0,))}


def asking(rules: AvailabilityRules, seen: Observation) -> set[RuleName]:
    """The rules that ask for a pause, seen by themselves."""
    return {rule for rule in RULES if verdict(rule, rules, seen) is not None}


@tried(100)
@given(AVAILABILITY_RULES, STARTS, STEPS)
def test_in_any_ten_minutes_there_are_two_changes_at_most(
    rules: AvailabilityRules, at: datetime, steps: list[tuple[float, dict[str, Any]]]
) -> None:
    computer = Computer(rules, at)
    computer.see()
    for seconds, seen in steps:
        computer.after(seconds, **seen)
    for first, third in zip(computer.changes, computer.changes[2:], strict=False):
        assert third - first >= SHORTEST_PAUSE_SECONDS


@tried(100)
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
        assert all(reason.is_over for reason in decision.reasons if reason.rule == "game" and "game" not in asks)


@tried(100)
@given(AVAILABILITY_RULES, STARTS, STEPS)
def test_once_nothing_asks_any_more_it_is_free_again(
    rules: AvailabilityRules, at: datetime, steps: list[tuple[float, dict[str, Any]]]
) -> None:
    computer = Computer(rules, at)
    for seconds, seen in steps:
        computer.after(seconds, **seen)
    computer.rules = AvailabilityRules(
        hours=(ALWAYS,) * 7, **{name: getattr(rules, name) for name in ("battery", "games", "gpu_share", "programs")}
    )
    calm = {"idle_seconds": 1e6, "is_on_battery": False, "games": (), "gpu_uses": (), "programs": frozenset[str]()}
    computer.after(1, **calm)
    assert computer.after(LONGEST_REST_SECONDS, **calm).is_free


@tried(100)
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


@tried(100)
@given(
    AVAILABILITY_RULES,
    st.lists(st.tuples(st.datetimes(), st.floats(), SEEN), min_size=1, max_size=20),
)
def test_no_clock_can_crash_it_or_freeze_a_pause(
    rules: AvailabilityRules, looks: list[tuple[datetime, float, dict[str, Any]]]
) -> None:
    computer = Computer(rules)
    for at, seconds, seen in looks:
        computer.at, computer.seconds = at.replace(tzinfo=BERLIN), seconds
        computer.see(**seen)
        rule_views(rules, Observation(computer.at, computer.seconds, **seen))
        computer.resume_now()
    computer.at, computer.seconds, computer.rules = WEDNESDAY, 0.0, NOTHING_ASKS
    computer.see()
    computer.after(1)
    assert computer.after(LONGEST_REST_SECONDS).is_free


@given(AVAILABILITY_RULES, STARTS, SEEN)
def test_a_rule_that_is_off_never_asks_and_a_time_that_is_promised_is_to_come(
    rules: AvailabilityRules, at: datetime, seen: dict[str, Any]
) -> None:
    observation = Observation(at, 0.0, **seen)
    for view in rule_views(rules, observation):
        assert view.is_on or not view.asks
        assert view.is_on == is_on(view.rule, rules)
        assert view.until is None or view.until > at - timedelta(seconds=1)
