"""A pause begins at once, ends after a rest, and ends at once when the owner says so."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from core.availability.arbiter import ONSET_SECONDS, REST_SECONDS, onset_left, seconds_to_look
from core.availability.decision import Decision, Reason, RuleName
from core.availability.observation import GpuUse, Observation
from core.availability.rules import ALWAYS, AvailabilityRules
from core.availability.verdicts import OTHER_USER
from tests.core.availability.owner import BERLIN, BLIND, WEDNESDAY, Computer, gpu_use
from tests.core.availability.strategies import OFF

NIGHT = "x" * 8 + "." * 14 + "xx"
CAUSES: list[tuple[RuleName, dict[str, object], dict[str, object]]] = [
    ("battery", {}, {"is_on_battery": True}),
    ("power_saver", {}, {"is_power_saving": True}),
    ("metered", {}, {"is_metered": True}),
    ("game", {}, {"games": ("tuxkart",)}),
    ("game", {}, {"full_screen": True}),
    ("film", {"films": True}, {"films": ("vlc",)}),
    ("program", {"programs": ("blender",)}, {"programs": frozenset({"sh", "blender"})}),
    ("disk", {}, {"free_disk_bytes": 999_999_999}),
    ("gpu", {}, {"gpu_uses": gpu_use(0.5)}),
    ("memory", {}, {"memory_pressure": 0.5}),
    ("cpu", {"cpu_pressure": 0.5}, {"cpu_pressure": 0.6}),
]
"""Rules with what makes them ask for a pause, until it is seen to be over."""


def asking(decision: Decision) -> Reason | None:
    """The foremost reason, but for the time before which a pause that has interrupted training does not end."""
    return decision.reason and replace(decision.reason, not_before=None)


def test_with_the_defaults_a_computer_of_which_nothing_can_be_seen_is_free() -> None:
    assert Computer().see(**BLIND).is_free


@pytest.mark.parametrize(
    ("rule", "rules", "seen"),
    [
        *(cause for cause in CAUSES if cause[0] not in ONSET_SECONDS),
        ("data", {"sent_bytes_a_day": 10**6}, {"sent_today": 10**6}),
        ("data", {"received_bytes_a_day": 10**6}, {"received_today": 10**7}),
        ("idle", {"idle_minutes": 5}, {"idle_seconds": 299.0}),
        ("hours", {"hours": (NIGHT,) * 7}, {}),
        ("price", {"highest_price": 0.3}, {"prices": "broken"}),
    ],
)
def test_each_rule_pauses_at_once(rule: RuleName, rules: dict[str, object], seen: dict[str, object]) -> None:
    computer = Computer(AvailabilityRules(**rules))  # type: ignore[arg-type]
    decision = computer.see(**seen)
    assert decision.reason is not None and decision.reason.rule == rule
    assert Computer(OFF).see(**seen).is_free or rule == "disk"


@pytest.mark.parametrize(
    ("rule", "rules", "seen", "onset"),
    [
        ("gpu", {}, {"gpu_uses": gpu_use(0.2)}, 2.0),
        ("memory", {}, {"memory_pressure": 0.2}, 10.0),
        ("cpu", {"cpu_pressure": 0.5}, {"cpu_pressure": 0.5}, 10.0),
    ],
)
def test_what_comes_and_goes_must_last(
    rule: RuleName, rules: dict[str, float], seen: dict[str, object], onset: float
) -> None:
    computer = Computer(AvailabilityRules(**rules))  # type: ignore[arg-type]
    assert computer.see(**seen).is_free
    assert computer.after(onset - 0.5, **seen).is_free
    assert computer.after(0.5).is_free  # it is gone, so it begins anew
    assert computer.after(1, **seen).is_free
    assert computer.after(onset - 0.5, **seen).is_free
    assert asking(computer.after(0.5, **seen)) == Reason(rule, "blender" if rule == "gpu" else "")


def test_a_use_that_says_for_how_long_it_has_lasted_asks_two_seconds_after_it_began() -> None:
    computer = Computer()
    computer.see()
    assert computer.after(1, gpu_uses=(GpuUse(0, "blender", 0.9, 1.5),)).is_free
    assert onset_left(computer.state) == pytest.approx(0.5)
    assert asking(computer.after(0.5, gpu_uses=(GpuUse(0, "blender", 0.9, 2.0),))) == Reason("gpu", "blender")
    assert not Computer().see(gpu_uses=(GpuUse(0, "blender", 0.9, 3600.0),)).is_free


@pytest.mark.parametrize(
    ("share", "lasted", "seconds"),
    [(0.9, 1.5, 0.5), (0.9, 1.0, 0.8), (0.9, None, 1.7), (0.9, 1.9, 1.7), (0.9, 60.0, 1.7), (0.1, 1.0, 1.7)],
)
def test_a_use_that_is_about_to_ask_is_looked_at_once_more_just_before(
    share: float, lasted: float | None, seconds: float
) -> None:
    seen = Observation(WEDNESDAY, 0.0, gpu_uses=(GpuUse(0, "blender", share, lasted),))
    assert seconds_to_look(AvailabilityRules(), seen, 1.7) == pytest.approx(seconds)
    assert seconds_to_look(OFF, seen, 1.7) == 1.7
    assert seconds_to_look(AvailabilityRules(), replace(seen, gpu_uses=None), 1.7) == 1.7


def test_a_gpu_is_free_only_below_half_of_the_limit() -> None:
    computer = Computer()
    computer.see()
    computer.after(1, gpu_uses=gpu_use(0.5))
    computer.after(2, gpu_uses=gpu_use(0.5))
    assert asking(computer.after(900, gpu_uses=gpu_use(0.1))) == Reason("gpu", "blender")
    assert computer.after(1, gpu_uses=gpu_use(0.09)).reason == Reason(
        "gpu", "blender", is_over=True, until=computer.at + timedelta(minutes=5)
    )


@pytest.mark.parametrize(("rule", "rules", "seen"), CAUSES)
def test_a_rule_that_asked_goes_on_asking_while_it_cannot_see_and_rests_once_it_sees_that_all_is_over(
    rule: RuleName, rules: dict[str, object], seen: dict[str, object]
) -> None:
    computer = Computer(AvailabilityRules(**rules))  # type: ignore[arg-type]
    computer.see(**BLIND)
    computer.after(1, **seen)
    asking = computer.after(10, **seen).reason
    assert asking is not None and asking.rule == rule and asking.can_see
    blind = dict.fromkeys(seen)
    assert computer.after(3600, **blind).reason == replace(asking, can_see=False), "however long it lasts"
    assert computer.after(1, **seen).reason == asking
    assert not computer.after(1, **blind).is_free
    computer.after(1)
    assert computer.after(600).is_free
    assert computer.after(1, **blind).is_free, "what was seen to be over does not ask when it cannot be seen"


def test_an_unseen_rule_asks_by_what_it_saw_last_as_the_owner_s_rules_are_now() -> None:
    computer = Computer(AvailabilityRules(programs=("blender", "gimp")))
    computer.see(programs=frozenset({"blender"}))
    computer.rules = AvailabilityRules(programs=("blender",))
    assert computer.after(1, programs=None).reason == Reason("program", "blender", can_see=False)
    computer.rules = AvailabilityRules(programs=("gimp",))
    assert computer.after(1, programs=None).is_free


def test_an_unseen_rule_is_overruled_at_once_and_has_nothing_more_to_say_when_the_owner_s_word_has_run_out() -> None:
    computer = Computer()
    computer.see(is_metered=True)
    assert not computer.after(1, is_metered=None).is_free
    computer.resume_now()
    assert computer.after(1, is_metered=None).ignored == ("metered",)
    assert computer.after(60, is_metered=True).ignored == ("metered",), "it is the same cause, seen again"
    assert computer.after(60, is_metered=None).ignored == ("metered",)
    assert computer.after(10 * 3600, is_metered=None) == Decision(), "after midnight"
    assert not computer.after(1, is_metered=True).is_free


def test_a_full_disk_needs_more_than_it_lacked() -> None:
    computer = Computer()
    assert not computer.see(free_disk_bytes=900_000_000).is_free
    assert not computer.after(1, free_disk_bytes=1_500_000_000).is_free
    assert computer.after(1, free_disk_bytes=2_000_000_000).is_free
    assert computer.after(1, free_disk_bytes=1_500_000_000).is_free


def test_after_a_game_training_waits_for_five_minutes_and_says_until_when() -> None:
    computer = Computer()
    computer.see()
    computer.after(1, games=("tuxkart",))
    not_before = computer.at + timedelta(minutes=10)
    assert computer.after(3600, games=("tuxkart",)).reason == Reason("game", "tuxkart", not_before=not_before)
    ended = computer.after(1)
    until = computer.at + timedelta(minutes=5)
    assert ended.reasons == (Reason("game", "tuxkart", is_over=True, until=until),)
    assert computer.after(299).reasons == ended.reasons
    assert computer.after(1).is_free
    assert computer.at == until


def test_a_game_that_comes_back_is_waited_for_again() -> None:
    computer = Computer()
    computer.see(games=("tuxkart",))
    computer.after(1)
    computer.after(299, games=("tuxkart",))
    assert not computer.after(1).is_free
    assert not computer.after(299).is_free
    assert computer.after(1).is_free


def test_a_pause_that_has_interrupted_training_lasts_ten_minutes() -> None:
    computer = Computer()
    computer.see()
    computer.after(1, is_on_battery=True)
    earliest = computer.at + timedelta(seconds=600)
    assert computer.see(is_on_battery=True).reason == Reason("battery", not_before=earliest)
    over = computer.after(1, is_on_battery=False)
    assert over.reason == Reason("battery", is_over=True, until=computer.at + timedelta(seconds=599))
    assert not computer.after(598, is_on_battery=False).is_free
    assert computer.after(1, is_on_battery=False).is_free


def test_a_pause_that_was_there_at_the_start_ends_after_its_rest() -> None:
    computer = Computer()
    assert computer.see(is_on_battery=True).reason == Reason("battery"), "nothing was interrupted"
    assert not computer.after(1, is_on_battery=False).is_free
    assert computer.after(REST_SECONDS["battery"], is_on_battery=False).is_free


def test_of_several_reasons_the_foremost_is_first_and_each_rests_for_itself() -> None:
    computer = Computer(AvailabilityRules(idle_minutes=5))
    both = computer.see(games=("tuxkart",), is_on_battery=True, idle_seconds=0.0)
    assert [reason.rule for reason in both.reasons] == ["battery", "game", "idle"]
    assert [reason.rule for reason in computer.after(1, idle_seconds=1.0).reasons] == ["battery", "game", "idle"]
    assert [reason.rule for reason in computer.after(60, idle_seconds=61.0).reasons] == ["game", "idle"]
    assert computer.after(240, idle_seconds=301.0).is_free


def test_what_the_owner_resumes_goes_on_at_once_and_says_what_it_ignores() -> None:
    computer = Computer()
    computer.see()
    computer.after(1, games=("tuxkart",))
    computer.resume_now()
    decision = computer.see(games=("tuxkart",))
    assert decision.is_free and decision.ignored == ("game",)
    assert computer.after(7200, games=("tuxkart",)).is_free


def test_a_resumed_rule_counts_again_once_it_has_rested() -> None:
    computer = Computer()
    computer.see(games=("tuxkart",))
    computer.resume_now()
    assert computer.after(1).ignored == ("game",)
    assert computer.after(299, games=("tuxkart",)).ignored == ("game",)
    computer.after(1)
    assert computer.after(300).ignored == ()
    assert not computer.after(1, games=("tuxkart",)).is_free


def test_another_rule_still_pauses_what_was_resumed() -> None:
    computer = Computer()
    computer.see(games=("tuxkart",))
    computer.resume_now()
    assert computer.after(1, games=("tuxkart",)).is_free
    decision = computer.after(1, games=("tuxkart",), is_on_battery=True)
    assert [reason.rule for reason in decision.reasons] == ["battery"] and decision.ignored == ("game",)


def test_what_is_about_to_ask_is_resumed_as_well() -> None:
    computer = Computer()
    computer.see(is_on_battery=True, gpu_uses=gpu_use(1.0))
    computer.resume_now()
    assert computer.after(10, is_on_battery=True, gpu_uses=gpu_use(1.0)).ignored == ("battery", "gpu")


def test_the_owners_word_ends_at_midnight() -> None:
    computer = Computer(at=datetime(2026, 11, 25, 23, 59, 58, tzinfo=BERLIN))
    computer.see(games=("tuxkart",))
    computer.resume_now()
    computer.ignore_today("battery")
    assert computer.after(1, games=("tuxkart",), is_on_battery=True).ignored == ("battery", "game")
    reasons = computer.after(1, games=("tuxkart",), is_on_battery=True).reasons
    assert [reason.rule for reason in reasons] == ["battery", "game"]


def test_a_rule_that_is_ignored_today_may_ask_as_often_as_it_likes() -> None:
    computer = Computer()
    computer.see()
    computer.ignore_today("game")
    for _ in range(3):
        assert computer.after(1000, games=("tuxkart",)).ignored == ("game",)
        assert computer.after(1000).is_free
    computer.stop_ignoring("game")
    assert not computer.after(1, games=("tuxkart",)).is_free


def test_to_resume_does_not_shorten_what_is_ignored_today() -> None:
    computer = Computer()
    computer.see(games=("tuxkart",))
    computer.ignore_today("game")
    computer.resume_now()
    computer.after(1)
    computer.after(1000)
    assert computer.after(1000, games=("tuxkart",)).ignored == ("game",)


def test_a_rule_that_is_switched_off_counts_no_more() -> None:
    computer = Computer()
    computer.see()
    computer.after(1, is_on_battery=True)
    computer.rules = AvailabilityRules(battery=False)
    assert computer.after(1, is_on_battery=True).is_free


def test_a_rule_that_is_switched_off_while_it_rests_counts_no_more() -> None:
    computer = Computer()
    computer.see()
    computer.after(1, is_on_battery=True)
    computer.after(1, is_on_battery=False)
    computer.rules = AvailabilityRules(battery=False)
    assert computer.after(1, is_on_battery=False).is_free


def test_who_has_locked_the_screen_has_left() -> None:
    computer = Computer(AvailabilityRules(idle_minutes=5))
    assert computer.see(idle_seconds=60.0).reason == Reason("idle", until=WEDNESDAY + timedelta(minutes=4))
    assert computer.after(1, idle_seconds=0.0, is_locked=True).is_free


def test_another_user_at_the_computer_is_somebody_there_even_where_the_own_session_is_locked_and_idle() -> None:
    computer = Computer(AvailabilityRules(idle_minutes=5))
    assert computer.see(idle_seconds=3600.0, is_locked=True).is_free
    other = Reason("idle", OTHER_USER)
    assert asking(computer.after(1, idle_seconds=3600.0, is_locked=True, is_switched=True)) == other
    assert asking(computer.after(3600, idle_seconds=7200.0, is_switched=True)) == other
    held = replace(other, can_see=False)
    assert asking(computer.after(1, idle_seconds=7200.0, is_switched=None)) == held, "logind restarts"
    assert computer.after(1, idle_seconds=7200.0, is_switched=False).is_free
    assert Computer().see(is_switched=True).is_free, "the rule is off"


def test_only_when_i_am_away_is_kept_where_nobody_can_see_that() -> None:
    computer = Computer(AvailabilityRules(idle_minutes=5))
    assert computer.see(**BLIND).reason == Reason("idle", can_see=False)


def test_a_free_hour_that_begins_too_early_is_not_promised() -> None:
    at = datetime(2026, 11, 25, 21, 55, tzinfo=BERLIN)
    computer = Computer(AvailabilityRules(hours=(NIGHT[:21] + "x" + NIGHT[22:],) * 7), at)
    computer.see()
    computer.rules = AvailabilityRules(hours=(NIGHT,) * 7)
    decision = computer.after(1)
    assert decision.reason == Reason("hours", until=at + timedelta(minutes=10, seconds=1))
    assert not computer.after(599).is_free
    assert computer.after(1).is_free


def test_hours_change_at_the_hour() -> None:
    computer = Computer(AvailabilityRules(hours=(NIGHT, NIGHT, NIGHT, ALWAYS, NIGHT, NIGHT, NIGHT)))
    assert computer.see().reason == Reason("hours", until=datetime(2026, 11, 25, 22, tzinfo=BERLIN))
    assert not computer.after(8 * 3600 - 1).is_free
    assert computer.after(1).is_free


@pytest.mark.parametrize("hours", [-24 * 365, -3, 3, 24 * 365])
def test_a_date_that_jumps_leaves_the_rest_as_long_as_it_is(hours: int) -> None:
    computer = Computer()
    computer.see(games=("tuxkart",))
    computer.after(1)
    computer.at += timedelta(hours=hours)
    assert not computer.after(299).is_free
    assert computer.after(1).is_free


def test_a_date_that_is_set_back_does_not_prolong_the_owners_word_for_ever() -> None:
    computer = Computer()
    computer.ignore_today("game")
    computer.at -= timedelta(days=365)
    assert computer.after(3600, games=("tuxkart",)).is_free
    assert not computer.after(25 * 3600, games=("tuxkart",)).is_free


def test_a_clock_that_starts_again_counts_on() -> None:
    computer = Computer()
    computer.seconds = 1e9
    computer.see(games=("tuxkart",))
    computer.seconds = 0.0
    computer.see()
    assert not computer.after(299).is_free
    assert computer.after(1).is_free
