"""Why training pauses and when it goes on, as the owner reads it; and what each rule sees."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import datetime, timedelta, tzinfo
from types import SimpleNamespace
from typing import Any, Self, get_args

import pytest

from core.availability.arbiter import REST_SECONDS, SHORTEST_PAUSE_SECONDS
from core.availability.decision import Decision, Reason, RuleName
from core.availability.local_time import next_midnight
from core.availability.observation import GpuUse, Observation
from core.availability.pacing import Pace
from core.availability.prices import Prices
from core.availability.rule_views import rule_views
from core.availability.rules import AvailabilityRules
from core.records.pauses import Interval
from core.texts import availability, localization
from core.texts.availability import ignored, pause, reason, rule_name, slowed
from core.texts.settings.pause_history import line_of, lines_of
from core.texts.settings.rule_views import sees
from tests.core.availability.owner import Computer

NOW = datetime.now().astimezone().replace(hour=14, minute=0, second=0, microsecond=0)
AT_22 = NOW.replace(hour=22)
RULES = AvailabilityRules(
    idle_minutes=5, hours=("." * 22 + "xx",) * 7, programs=("blender",), price_file="/prices.csv", highest_price=0.2
)
PRICES = Prices((NOW.timestamp(), NOW.timestamp() + 3600), (0.3071, 0.1))


class _Then(datetime):
    """The class datetime, whose clock stands still."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        return cls.fromtimestamp(NOW.timestamp(), tz)


@pytest.fixture(autouse=True)
def it_is_still_that_day(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where midnight has passed since the examples of this module were made."""
    clock = SimpleNamespace(localtime=lambda *at: time.localtime(*at or (NOW.timestamp(),)), strftime=time.strftime)
    monkeypatch.setattr(localization, "time", clock)
    monkeypatch.setattr(availability, "datetime", _Then)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (Reason("gpu", "Blender"), "Paused: Blender is using this GPU · goes on 5 minutes after that ends"),
        (Reason("gpu"), "Paused: another program is using this GPU · goes on 5 minutes after that ends"),
        (Reason("game", "tux\x1b[2J", is_over=True, until=AT_22), "Paused: tux[2J has ended · goes on at 22:00"),
        (
            Reason("game", "full_screen"),
            "Paused: a full-screen program is in front · goes on 5 minutes after that ends",
        ),
        (
            Reason("game", "full_screen", is_over=True, until=AT_22),
            "Paused: no full-screen program is in front any more · goes on at 22:00",
        ),
        (Reason("battery"), "Paused: this computer runs on its battery · goes on 1 minute after that ends"),
        (Reason("hours", until=AT_22), "Waiting for 22:00 (your hours)"),
        (Reason("hours"), "Paused: outside your hours · your week has no free hour"),
        (Reason("price", until=AT_22), "Waiting for 22:00 (cheap electricity)"),
        (Reason("price", "old", can_see=False), "Paused: the file of prices says nothing of this hour"),
        (Reason("idle", until=AT_22), "Waiting until nobody has used this computer for 5 minutes"),
        (Reason("idle", "other_user"), "Paused: another user is at this computer"),
        (Reason("idle", can_see=False), "Paused: it cannot be seen here whether you are away"),
        (
            Reason("metered", can_see=False),
            "Paused: this connection is metered · seen last, and cannot be seen now · goes on 1 minute after that ends",
        ),
        (Reason("disk"), "Paused: the disk is almost full · goes on when 2.0 GB are free"),
        (Reason("data", until=AT_22), "Paused: today's data volume is used up · goes on at 22:00"),
    ],
)
def test_a_pause_says_why_and_until_when(given: Reason, words: str) -> None:
    assert pause(Decision((given,)), RULES) == words


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (Reason("battery"), "this computer runs on its battery · goes on 1 minute after that ends"),
        (Reason("disk"), "the disk is almost full · goes on when 2.0 GB are free"),
        (Reason("idle", until=NOW), "you are using this computer · goes on when nobody has used it for 5 minutes"),
    ],
)
def test_a_pause_that_has_interrupted_training_says_when_it_ends_at_the_earliest(given: Reason, words: str) -> None:
    """As long as that is later than what the reason itself asks for."""
    at_14_10 = NOW.replace(minute=10)
    told = reason(replace(given, not_before=at_14_10), RULES)
    assert told == f"{words}, at 14:10 at the earliest"
    over = NOW - timedelta(seconds=1)
    assert reason(replace(given, not_before=over), RULES) == words
    waits = pause(Decision((Reason("idle", until=at_14_10, not_before=at_14_10),)), RULES)
    assert waits == "Waiting until nobody has used this computer for 5 minutes, at 14:10 at the earliest"
    touched = Reason("idle", until=NOW.replace(minute=11), not_before=at_14_10)
    assert pause(Decision((touched,)), RULES) == "Waiting until nobody has used this computer for 5 minutes"


@pytest.mark.parametrize("lasted", [60, 539, 541, 3600])
def test_training_goes_on_when_the_sentence_has_said(lasted: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """After less than nine minutes on the battery the shortest pause is waited for, later the battery's rest."""
    computer = Computer(at=NOW)
    computer.see()
    began, paused = computer.at, computer.after(0, is_on_battery=True)
    monkeypatch.setattr(_Then, "now", classmethod(lambda _cls, tz=None: computer.at.astimezone(tz)))
    assert pause(paused, RULES).endswith("1 minute after that ends, at 14:10 at the earliest")
    words = pause(computer.after(lasted, is_on_battery=True), RULES)
    computer.after(0)
    is_bound = lasted + REST_SECONDS["battery"] < SHORTEST_PAUSE_SECONDS
    assert words.endswith("1 minute after that ends" + (", at 14:10 at the earliest" if is_bound else ""))
    ends = began + timedelta(seconds=SHORTEST_PAUSE_SECONDS if is_bound else lasted + REST_SECONDS["battery"])
    left = (ends - computer.at).total_seconds()
    assert not computer.after(left - 1).is_free
    assert computer.after(1).is_free


def test_other_reasons_are_counted() -> None:
    reasons = (Reason("battery"), Reason("game", "tuxkart"), Reason("hours", until=AT_22))
    assert pause(Decision(reasons), RULES).endswith(" after that ends · 2 more reasons")
    assert pause(Decision((Reason("hours", until=AT_22), Reason("idle"))), RULES).endswith(
        "(your hours) · 1 more reason"
    )


@pytest.mark.parametrize("rule", get_args(RuleName))
def test_every_rule_has_words_for_now_and_for_afterwards(rule: RuleName) -> None:
    words = {reason(Reason(rule), RULES), reason(Reason(rule, is_over=True, until=AT_22), RULES), rule_name(rule)}
    assert len(words) == 3 and all(words)


def test_what_is_ignored_is_named_with_the_time_at_which_it_counts_again() -> None:
    once = Decision((), ("battery", "game"), AT_22, is_ignored_once=True)
    assert ignored(once) == "ignored until it is over, or until 22:00: battery, games"
    assert ignored(replace(once, is_ignored_once=False)) == "ignored until 22:00: battery, games"
    assert ignored(Decision()) == ""


def test_a_used_up_volume_goes_on_tomorrow_or_with_the_next_month() -> None:
    tomorrow = next_midnight(NOW)
    day, month = Reason("data", until=tomorrow), Reason("data", "month", until=tomorrow + timedelta(days=3))
    assert pause(Decision((day,)), RULES) == "Paused: today's data volume is used up · goes on tomorrow at 00:00"
    words = pause(Decision((month,)), RULES)
    assert words.startswith("Paused: this month's data volume is used up · goes on 2") and words.endswith(" at 00:00")


@pytest.mark.parametrize(
    ("pace", "words"),
    [
        (Pace(0.6, None, "heat", 83.0, 80.0), "Slowed to 60 %: GPU at 83 °C, your limit is 80"),
        (Pace(0.95, None, "power", 210.4, 200.0), "Slowed to 95 %: GPU at 210 W, your limit is 200"),
        (Pace(0.05, None, "noise", 60.0, 50.0), "Slowed to 5 %: fan at 60 %, your limit is 50"),
        (
            Pace(0.6, None, "heat", 0.0, 80.0, is_measured=False),
            "Slowed to 60 %: the GPU cannot be measured any more, your limit is 80 °C",
        ),
        (Pace(0.5, cause="presence"), "Slowed to 50 %: somebody is using this computer"),
    ],
)
def test_who_is_slowed_says_to_what_and_for_which_limit(pace: Pace, words: str) -> None:
    assert slowed(pace) == words


@pytest.mark.parametrize(
    ("rule", "seen", "words"),
    [
        ("battery", {"is_on_battery": False, "battery": 1.0}, "on battery: no"),
        ("battery", {"is_on_battery": True, "battery": 0.81}, "on battery: yes, 81 % left"),
        ("battery", {"is_on_battery": True}, "on battery: yes"),
        ("battery", {}, "cannot see"),
        ("power_saver", {"is_power_saving": True}, "saves power: yes"),
        ("power_saver", {"is_power_saving": False}, "saves power: no"),
        ("metered", {"is_metered": True}, "metered: yes"),
        ("metered", {"is_metered": False}, "metered: no"),
        ("game", {"games": (), "full_screen": False}, "no game is running · full screen: no"),
        ("game", {"games": ("a", "b"), "full_screen": True}, "running: a, b · full screen: yes"),
        ("game", {"games": ()}, "no game is running · full screen: cannot see"),
        ("game", {"full_screen": False}, "full screen: no"),
        ("game", {}, "cannot see"),
        ("film", {"films": ()}, "nothing is playing"),
        ("film", {"films": ("vlc",)}, "playing: vlc"),
        ("program", {"programs": frozenset({"sh", "blender"})}, "running: blender"),
        ("program", {"programs": frozenset({"sh"})}, "none is running"),
        ("gpu", {"gpu_uses": ()}, "other programs use 0 % of the GPU"),
        ("gpu", {"gpu_uses": (GpuUse(0, "cat", 0.35),)}, "cat uses 35 % of the GPU"),
        ("memory", {"memory_pressure": 0.05}, "programs wait for memory 5 % of the time"),
        ("cpu", {"cpu_pressure": 0.5}, "other programs use 50 % of the CPU"),
        ("idle", {"idle_seconds": 240.0}, "idle for 4 min"),
        ("idle", {}, "cannot see, so it waits"),
        ("idle", {"idle_seconds": 240.0, "is_switched": True}, "another user is at this computer"),
        ("idle", {"is_switched": True}, "another user is at this computer"),
        ("disk", {"free_disk_bytes": 12_300_000_000}, "12.3 GB are free"),
        ("data", {"sent_today": 1_000_000, "received_today": 2_500_000}, "today 1.0 MB sent and 2.5 MB received"),
        (
            "data",
            {"sent_today": 10**6, "received_today": 10**6, "sent_month": 3 * 10**9, "received_month": 4 * 10**9},
            "today 1.0 MB sent and 1.0 MB received, this month 3.0 GB and 4.0 GB",
        ),
        ("hours", {}, "free at this hour: no, again at 22:00"),
        ("price", {"prices": PRICES}, "the price is 0.307 now, and low enough at 15:00"),
        ("price", {"prices": Prices((NOW.timestamp(),), (12.04,))}, "the price is 12.0 now"),
        ("price", {"prices": "broken"}, "the file of prices cannot be read"),
    ],
)
def test_each_rule_says_what_it_sees(rule: RuleName, seen: dict[str, Any], words: str) -> None:
    assert _sees(rule, RULES, NOW, **seen) == words


def test_hours_and_prices_that_are_not_set_say_so() -> None:
    assert _sees("hours", AvailabilityRules(), NOW) == "free at this hour: yes"
    never = AvailabilityRules(hours=("." * 24,) * 7)
    assert _sees("hours", never, NOW) == "free at this hour: no, and never in the week"
    assert _sees("price", AvailabilityRules(), NOW + timedelta(days=1)) == "there is no file of prices"


def test_the_last_pauses_are_lines_of_a_list() -> None:
    later = NOW.replace(hour=15, minute=31)
    assert line_of(Interval(NOW, later, "game", "tuxkart")) == "14:00 – 15:31 · paused: games (tuxkart)"
    full_screen = line_of(Interval(NOW, later, "game", "full_screen"))
    assert full_screen == "14:00 – 15:31 · paused: games (a full-screen program)"
    assert line_of(Interval(NOW, later, "hours")) == "14:00 – 15:31 · paused: hours"
    assert line_of(Interval(later, None, None)) == "since 15:31 · free for training"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"pause": "person"}, "paused by you"),
        ({"pause": "epoch_finished"}, "paused by you, after an epoch"),
        ({"pause": "sleep"}, "asleep"),
        ({"pace": Pace(0.6, cause="heat", measured=83.0)}, "slowed to 60 %: GPU at 83 °C"),
        ({"pace": Pace(0.6, cause="power", measured=210.4)}, "slowed to 60 %: GPU at 210 W"),
        ({"pace": Pace(0.6, cause="noise", measured=55.0)}, "slowed to 60 %: fan at 55 %"),
        ({"pace": Pace(0.6, cause="heat", is_measured=False)}, "slowed to 60 %: the GPU could not be measured"),
        ({"pace": Pace(0.5, cause="presence", is_measured=False)}, "slowed to 50 %: somebody at this computer"),
        ({"rule": "idle", "subject": "other_user"}, "paused: your presence (another user)"),
        ({"rule": "data", "subject": "month"}, "paused: data volume (this month's)"),
        ({"rule": "price", "subject": "old"}, "paused: price of electricity"),
    ],
)
def test_an_interval_says_why_nothing_was_computed_or_how_slowly(given: dict[str, Any], words: str) -> None:
    assert line_of(Interval(NOW, None, **({"rule": None} | given))) == f"since 14:00 · {words}"


def test_pauses_of_several_devices_are_listed_device_by_device_and_each_line_names_its_own() -> None:
    hours = [NOW.replace(hour=hour) for hour in (9, 10, 11)]
    old = Interval(hours[0], hours[1], "battery")
    first = [Interval(began, None, None, device="cuda:0") for began in hours]
    second = Interval(hours[1], hours[2], "gpu", "blender", "cuda:1")
    assert lines_of([old, *first, second], 2) == [
        "GPU 0: since 11:00 · free for training",
        "GPU 0: since 10:00 · free for training",
        "GPU 1: 10:00 – 11:00 · paused: use of the GPU (blender)",
        "09:00 – 10:00 · paused: battery",
    ]
    assert lines_of([old, first[2]]) == ["since 11:00 · free for training", "09:00 – 10:00 · paused: battery"]


def _sees(rule: RuleName, rules: AvailabilityRules, at: datetime, **seen: Any) -> str:
    [view] = [view for view in rule_views(rules, Observation(at, 0.0, **seen)) if view.rule == rule]
    return sees(view, rules)
