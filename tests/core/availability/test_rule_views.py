"""The owner's page shows what each rule sees at this moment."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from msgspec.structs import replace

from core.availability.decision import Decision, Reason, RuleName
from core.availability.observation import Observation
from core.availability.presets import with_preset
from core.availability.prices import Prices
from core.availability.rule_views import RuleView, rule_views
from core.availability.rules import PACE_LIMITS, RULE_FIELDS, AvailabilityRules
from core.availability.verdicts import RULES
from tests.core.availability.owner import BERLIN, WEDNESDAY, gpu_use

MIDNIGHT = datetime(2026, 11, 26, tzinfo=BERLIN)


def view(rule: RuleName, rules: AvailabilityRules, **seen: Any) -> RuleView:
    """What that rule sees."""
    [found] = [view for view in rule_views(rules, Observation(WEDNESDAY, 0.0, **seen)) if view.rule == rule]
    return found


def test_every_rule_has_a_view_and_only_the_clock_is_always_seen() -> None:
    views = rule_views(AvailabilityRules(), Observation(WEDNESDAY, 0.0))
    assert [view.rule for view in views] == list(RULES)
    assert [view.rule for view in views if view.can_see] == ["hours"]
    assert not any(view.asks for view in views)
    on = ["disk", "battery", "power_saver", "metered", "game", "gpu", "memory"]
    assert [view.rule for view in views if view.is_on] == on


@pytest.mark.parametrize(
    ("rule", "rules", "seen", "expected"),
    [
        ("battery", {}, {"is_on_battery": False, "battery": 0.8}, {"is_so": False, "amount": 0.8}),
        ("battery", {}, {"is_on_battery": True}, {"is_so": True, "asks": True}),
        ("power_saver", {}, {"is_power_saving": False}, {"is_so": False}),
        ("metered", {"metered": False}, {"is_metered": True}, {"is_so": True, "is_on": False}),
        ("game", {}, {"games": ("tuxkart",)}, {"names": ("tuxkart",), "amount": 1, "asks": True}),
        ("game", {}, {"full_screen": True}, {"is_so": True, "asks": True}),
        ("game", {"games": False}, {"games": (), "full_screen": True}, {"amount": 0, "is_so": True, "is_on": False}),
        ("film", {"films": True}, {"films": ()}, {}),
        ("program", {"programs": ("a", "b")}, {"programs": frozenset("bc")}, {"names": ("b",), "asks": True}),
        ("gpu", {}, {"gpu_uses": gpu_use(0.1)}, {"amount": 0.1, "names": ("blender",)}),
        ("gpu", {}, {"gpu_uses": ()}, {"amount": 0.0}),
        ("idle", {"idle_minutes": 5}, {"idle_seconds": 240.0}, {"amount": 240.0, "asks": True}),
        ("idle", {"idle_minutes": 5}, {"is_switched": True}, {"is_so": True, "asks": True}),
        ("disk", {}, {"free_disk_bytes": 10**10}, {"amount": 10**10}),
        ("data", {"sent_bytes_a_day": 10**6}, {"sent_today": 5, "received_today": 6}, {"traffic": (5, 6)}),
        ("price", {"highest_price": 1.0}, {"prices": Prices((WEDNESDAY.timestamp(),), (0.5,))}, {"amount": 0.5}),
        ("price", {"highest_price": 1.0}, {"prices": "broken"}, {"names": ("broken",), "can_see": False, "asks": True}),
        ("cpu", {"cpu_pressure": 0.5}, {"cpu_pressure": 0.25}, {"amount": 0.25}),
        ("memory", {}, {"memory_pressure": 0.25}, {"amount": 0.25, "asks": True}),
        ("hours", {}, {}, {"is_so": True, "is_on": False}),
        ("hours", {"hours": ("." * 24,) * 7}, {}, {"is_so": False, "asks": True}),
    ],
)
def test_a_view_has_what_its_rule_sees(
    rule: RuleName, rules: dict[str, Any], seen: dict[str, Any], expected: dict[str, Any]
) -> None:
    found = view(rule, AvailabilityRules(**rules), **seen)
    until = MIDNIGHT if rule == "data" else None
    expected = {"is_on": True, "asks": False, "can_see": True, "until": until} | expected
    assert found == RuleView(rule, **expected)


@pytest.mark.parametrize(
    ("rule", "fields"),
    [
        ("battery", {"battery": True}),
        ("game", {"games": True}),
        ("film", {"films": True}),
        ("data", {"received_bytes_a_month": 10**9}),
        ("program", {"programs": ("blender",)}),
        ("cpu", {"cpu_pressure": 0.5}),
        ("idle", {"idle_minutes": 5}),
        ("hours", {"hours": ("." * 24, *("x" * 24,) * 6)}),
        ("price", {"highest_price": 0.0}),
    ],
)
def test_what_the_owner_sets_switches_on_that_rule_alone(rule: RuleName, fields: dict[str, Any]) -> None:
    rules = replace(with_preset(AvailabilityRules(), "always"), **fields)
    views = rule_views(rules, Observation(WEDNESDAY, 0.0))
    assert [view.rule for view in views if view.is_on] == [each for each in RULES if each in ("disk", rule)]


def test_each_of_the_owner_s_fields_is_of_a_rule_or_of_the_pace() -> None:
    of_rules = {field for fields in RULE_FIELDS.values() for field in fields}
    where_prices_are = {"price_file", "price_address"}
    assert of_rules | set(PACE_LIMITS) | where_prices_are == set(AvailabilityRules.__struct_fields__)


def test_a_rule_that_goes_on_asking_unseen_asks_in_its_view_too() -> None:
    decision = Decision((Reason("metered", can_see=False), Reason("battery")))
    views = rule_views(AvailabilityRules(), Observation(WEDNESDAY, 0.0), decision)
    assert [view.rule for view in views if view.asks] == ["metered"]
