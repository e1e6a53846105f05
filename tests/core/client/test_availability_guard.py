"""The guard has the real arbiter decide, and posts what is news; the computer and its clock are the test's."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from core.availability.decision import Decision
from core.availability.observation import GpuUse, Observation
from core.availability.rules import AvailabilityRules
from core.client.availability_guard import AvailabilityGuard
from core.client.computer_watch import ComputerWatch
from core.protocol.client_events import AvailabilityDecided
from tests.support.computer.scripted_computer import ScriptedComputer

NOON = Observation(datetime(2026, 11, 25, 12, tzinfo=UTC), 0.0)


class Computer:
    """A guard, and all that it sees and posts."""

    def __init__(self, rules: AvailabilityRules | None = None) -> None:
        self.seen: Observation | None = NOON
        self.rules = rules or AvailabilityRules()
        self.posted: list[AvailabilityDecided] = []
        self.guard = AvailabilityGuard(lambda: self.rules, lambda: self.seen, self.posted.append)

    def later(self, seconds: float, **fields: object) -> Decision | None:
        """Check after so many seconds; the decision, if it was posted as news."""
        assert self.seen is not None
        at, monotonic = self.seen.at + timedelta(seconds=seconds), self.seen.monotonic + seconds
        self.seen = replace(self.seen, at=at, monotonic=monotonic, **fields)  # type: ignore[arg-type]
        before = len(self.posted)
        self.guard.check()
        return self.posted[-1].decision if len(self.posted) > before else None


def test_only_news_is_posted() -> None:
    computer = Computer()
    assert computer.later(0) is None, "a computer that is free is what everybody expects"
    paused = computer.later(2, games=("SuperTux",))
    assert paused is not None and paused.reason is not None and paused.reason.subject == "SuperTux"
    assert [computer.later(2) for _ in range(100)] == [None] * 100
    over = computer.later(2, games=())
    assert over is not None and over.reason is not None and over.reason.is_over
    assert {computer.later(1.97) for _ in range(10)} == {None}, "the end of the rest is the same all the time"
    freed = computer.later(3600)
    assert freed is not None and freed.is_free


def test_before_anything_is_seen_nothing_is_decided() -> None:
    computer = Computer()
    computer.seen = None
    computer.guard.check()
    computer.guard.resume_now()
    assert computer.posted == []


def test_resuming_now_is_posted_at_once() -> None:
    computer = Computer()
    computer.later(0)
    computer.later(2, is_on_battery=True)
    computer.guard.resume_now()
    assert (computer.posted[-1].decision.is_free, computer.posted[-1].decision.ignored) == (True, ("battery",))


def test_other_rules_are_posted_with_their_decision() -> None:
    computer = Computer()
    computer.later(2, is_on_battery=True)
    computer.rules = AvailabilityRules(battery=False)
    computer.later(2)
    assert computer.posted[-1] == AvailabilityDecided(Decision(), AvailabilityRules(battery=False))


def test_it_checks_after_each_look_and_when_a_cause_has_lasted_long_enough() -> None:
    computer = Computer()
    assert computer.guard.next_check_seconds(1.5) == pytest.approx(1.6)
    assert computer.later(0, gpu_uses=(GpuUse(0, "blender", 0.9),)) is None
    assert computer.guard.next_check_seconds(2.0) == pytest.approx(2.0), "no later than the two seconds of its onset"
    assert computer.later(1.97) is None
    assert computer.guard.next_check_seconds(2.0) == pytest.approx(0.05)
    paused = computer.later(0.05)
    assert paused is not None and not paused.is_free
    assert computer.guard.next_check_seconds(2.0) == pytest.approx(2.1)


def test_a_watch_knows_when_it_looks_again() -> None:
    watch = ComputerWatch(ScriptedComputer, AvailabilityRules, look_seconds=1000.0)
    assert watch.next_look_seconds == 1000.0
    watch.start()
    watch.await_first_look(60.0)
    assert 0 < watch.next_look_seconds < 1000.0
    watch.stop()


class CountingObserver(ScriptedComputer):
    """Sees the same each time, and tells when it has looked a second time."""

    def __init__(self, **fields: object) -> None:
        super().__init__(**fields)
        self.looks, self.has_looked_again = 0, threading.Event()

    def observe(self, rules: AvailabilityRules) -> Observation:
        self.looks += 1
        if self.looks == 2:
            self.has_looked_again.set()
        return super().observe(rules)


def test_a_watch_looks_again_before_a_use_of_the_gpu_asks_by_what_was_seen_before() -> None:
    observer = CountingObserver(gpu_uses=(GpuUse(0, "blender", 0.9, 1.5),))
    watch = ComputerWatch(lambda: observer, AvailabilityRules, look_seconds=1000.0)
    watch.start()
    try:
        watch.await_first_look(60.0)
        assert watch.next_look_seconds <= 0.5 or watch.next_look_seconds == 1000.0, "or it is due already"
        assert observer.has_looked_again.wait(60.0), "and not in a quarter of an hour"
    finally:
        watch.stop()


class HangingObserver:
    """An observer that never answers, as a driver may; and notes that it was closed."""

    def __init__(self) -> None:
        self.asked, self.released, self.closed = threading.Event(), threading.Event(), threading.Event()

    def observe(self, _rules: AvailabilityRules) -> Observation:
        self.asked.set()
        self.released.wait()
        return NOON

    def close(self) -> None:
        self.closed.set()


def test_an_observer_that_hangs_is_waited_for_by_nobody_and_its_late_answer_is_forgotten() -> None:
    hanging, ticks = HangingObserver(), iter(range(100))
    watch = ComputerWatch(lambda: hanging, AvailabilityRules, clock=lambda: float(next(ticks)))
    watch.start()
    assert hanging.asked.wait(30)
    assert watch.seen({"games": ("SuperTux",)}) is None
    watch.stop()
    hanging.released.set()
    assert hanging.closed.wait(30), "its thread ends, and closes it"
    assert watch.seen({}) is None


def test_what_a_front_end_sees_comes_first_and_what_it_does_not_see_is_left_as_it_was() -> None:
    observer = HangingObserver()
    observer.released.set()
    watch = ComputerWatch(lambda: observer, AvailabilityRules, clock=lambda: 77.0, look_seconds=0.01)
    watch.start()
    try:
        while (seen := watch.seen({"games": ("SuperTux",), "is_on_battery": None})) is None:
            assert not observer.closed.wait(0.01)
    finally:
        watch.stop()
    assert (seen.monotonic, seen.games, seen.is_on_battery) == (77.0, ("SuperTux",), None)
    assert seen.at > NOON.at, "it is as of now"


class StuckObserver(ScriptedComputer):
    """Sees one thing, and then asks a driver that never answers, as NVIDIA's after a crash of the GPU."""

    def __init__(self, **fields: object) -> None:
        super().__init__(**fields)
        self.released = threading.Event()
        self._has_looked = False

    def observe(self, rules: AvailabilityRules) -> Observation:
        if self._has_looked:
            assert self.released.wait(60)
        self._has_looked = True
        return super().observe(rules)


def test_what_an_observer_saw_before_it_hung_soon_counts_as_not_seen() -> None:
    observer = StuckObserver(is_on_battery=True)
    watch = ComputerWatch(lambda: observer, AvailabilityRules, look_seconds=0.01, stale_seconds=0.5)
    watch.start()
    try:
        watch.await_first_look(30)
        seen = first = watch.seen({"games": ()})
        while seen is not None and seen.is_on_battery is not None:
            assert not observer.released.wait(0.01)
            seen = watch.seen({"games": ()})
        assert first is not None and first.is_on_battery
        assert seen is not None and seen.games == (), "what the front end sees still holds"
        observer.released.set()
        while not (seen := watch.seen({})) or not seen.is_on_battery:
            time.sleep(0.01)
    finally:
        observer.released.set()
        watch.stop()


class FailingObserver(ScriptedComputer):
    """Its first look raises what no sensor is known to raise."""

    looks = 0

    def observe(self, rules: AvailabilityRules) -> Observation:
        self.looks += 1
        if self.looks == 1:
            raise RuntimeError("a driver answers in a way of its own")
        return super().observe(rules)


def test_a_look_that_fails_is_followed_by_others() -> None:
    watch = ComputerWatch(lambda: FailingObserver(is_on_battery=True), AvailabilityRules, look_seconds=0.01)
    watch.start()
    try:
        watch.await_first_look(30)
        seen = watch.seen({})
        assert seen is not None and seen.is_on_battery
    finally:
        watch.stop()


def test_a_pace_is_posted_when_it_is_another_one_and_no_more_often_than_the_eye_can_see() -> None:
    computer = Computer(AvailabilityRules(gpu_watts=200, attended_upload_rate=10**5))
    computer.later(0, gpu_watts=100.0, idle_seconds=3600.0)
    assert computer.posted == []
    computer.later(2, gpu_watts=300.0, idle_seconds=0.0)
    (posted,) = computer.posted
    assert posted.decision.is_free
    assert (posted.pace.cause, posted.pace.measured, posted.pace.limit) == ("power", 300.0, 200.0)
    assert posted.pace.compute_share < 0.95 and posted.pace.upload_rate == 10**5
    for _ in range(100):
        computer.later(2, gpu_watts=200.2)
    assert len(computer.posted) <= 3, "what differs in no digit that is shown is no news"


def test_a_reason_is_ignored_until_midnight_however_often_it_asks_and_heeded_again_on_request() -> None:
    computer = Computer()
    computer.later(2, games=("SuperTux",))
    computer.guard.ignore_today()
    freed = computer.posted[-1].decision
    assert freed.is_free and freed.ignored == ("game",) and not freed.is_ignored_once
    assert freed.ignored_until == NOON.at.replace(hour=0) + timedelta(days=1)
    computer.later(1000, games=())
    again = computer.later(1000, games=("SuperTux",))
    assert again is None or again.is_free
    computer.guard.stop_ignoring()
    assert not computer.posted[-1].decision.is_free
