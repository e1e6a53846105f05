"""Which run of an order is helped, whatever is seen: no flapping, nothing without consent, and nobody is forgotten."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.protocol.client_events import Obstacle
from core.run_order.engine import (
    LOOK_SECONDS,
    SHORTEST_STAY_SECONDS,
    Choice,
    OrderState,
    Present,
    RunKey,
    began,
    choose,
    due_looks,
    noted,
)
from tests.support.hypothesis_profile import tried

A, B, C = ORDER = (("a", "anna"), ("b", "ben"), ("c", "cleo"))
ENDS: tuple[Obstacle, ...] = ("finished", "paused", "unfit", "changed", "failed")
MINUTE = TICK_SECONDS = 60.0
HOUR = 60 * MINUTE


@dataclass
class Computer:
    """A computer that helps as the engine decides, in a world where ``world`` says what is in the way of each run.

    A run that cannot be reached goes on being tried; every other obstacle ends its session.
    """

    return_after: float | None = None
    now: float = 0.0
    state: OrderState = field(default_factory=OrderState)
    present: Present = field(default_factory=Present)
    world: dict[RunKey, Obstacle | None] = field(default_factory=dict)
    helped: list[tuple[float, RunKey]] = field(default_factory=list)
    ended: list[tuple[float, RunKey]] = field(default_factory=list)
    choice: Choice = field(default_factory=lambda: Choice(None))

    def after(self, seconds: float, **world: Obstacle | None) -> None:
        """So much later; ``world`` names what has changed by then, run by run."""
        self.world.update({run: world[run[0]] for run in ORDER if run[0] in world})
        for _ in range(max(1, round(seconds / TICK_SECONDS))):
            self._tick()
            self.now += TICK_SECONDS

    def _tick(self) -> None:
        for run in due_looks(self.state, ORDER, self.present, self.now):
            self.state = noted(self.state, run, self.world.get(run), self.now)
        self._see_present()
        self.choice = choose(self.state, ORDER, self.present, self.now, self.return_after)
        if self.choice.run != self.present.run or (self.present.is_over and self.choice.run is not None):
            self.present = Present(self.choice.run, is_over=self.choice.run is None)
            self._see_present()

    def _see_present(self) -> None:
        run = self.present.run
        if run is None or self.present.is_over:
            return
        obstacle = self.world.get(run)
        if obstacle is None:
            if self.helped[-1:] == [] or self.helped[-1][1] != run:
                self.helped.append((self.now, run))
            self.state = began(self.state, run, self.now)
            return
        self.state = noted(self.state, run, obstacle, self.now)
        if obstacle in ENDS:
            self.present = Present(run, is_over=True)
            self.ended.append((self.now, run))


OBSTACLES = st.sampled_from([None, None, None, *ENDS, "unreachable"])
STEPS = st.lists(
    st.tuples(st.sampled_from([TICK_SECONDS, 5 * MINUTE, 40 * MINUTE]), st.sampled_from("abc"), OBSTACLES), max_size=20
)
RETURNS = st.sampled_from([None, 0.0, 30 * MINUTE, 2 * HOUR])


@tried(150)
@given(RETURNS, STEPS)
def test_a_run_that_has_not_ended_is_left_for_another_after_half_an_hour_at_the_earliest(
    return_after: float | None, steps: list[tuple[float, str, Obstacle | None]]
) -> None:
    computer = Computer(return_after)
    for seconds, run, obstacle in steps:
        computer.after(seconds, **{run: obstacle})
    for (began_at, left), (left_at, _) in zip(computer.helped[1:], computer.helped[2:], strict=False):
        has_ended = any(ended == left and began_at <= at <= left_at for at, ended in computer.ended)
        assert has_ended or left_at - began_at >= SHORTEST_STAY_SECONDS


@tried(150)
@given(RETURNS, STEPS)
def test_what_has_changed_or_is_finished_is_not_chosen_whatever_is_seen_of_the_others(
    return_after: float | None, steps: list[tuple[float, str, Obstacle | None]]
) -> None:
    computer = Computer(return_after)
    for seconds, run, obstacle in steps:
        computer.after(seconds, **{run: obstacle})
        chosen = computer.choice.run
        if chosen is not None and chosen != computer.present.run:
            assert computer.state.obstacle_of(chosen) not in ("finished", "changed")


@tried(100)
@given(RETURNS, STEPS, st.sampled_from(ORDER))
def test_a_run_that_can_be_helped_is_helped_within_two_hours_where_no_other_can(
    return_after: float | None, steps: list[tuple[float, str, Obstacle | None]], only: RunKey
) -> None:
    computer = Computer(return_after)
    for seconds, run, obstacle in steps:
        is_for_good = obstacle in ("finished", "changed")  # which ends by a person's word alone
        computer.after(seconds, **({} if is_for_good else {run: obstacle}))
    world: dict[str, Obstacle | None] = {run[0]: None if run == only else "unreachable" for run in ORDER}
    computer.after(2 * HOUR, **world)
    assert computer.helped[-1][1] == only
    assert computer.present == Present(only, is_over=False)


@tried(100)
@given(st.sampled_from([0.0, 30 * MINUTE, 2 * HOUR]), STEPS)
def test_the_first_run_is_gone_back_to_once_it_has_been_open_for_as_long_as_was_set(
    return_after: float, steps: list[tuple[float, str, Obstacle | None]]
) -> None:
    computer = Computer(return_after)
    for seconds, run, obstacle in steps:
        is_for_good = run == "a" and obstacle in ("finished", "changed")
        computer.after(seconds, **({} if is_for_good else {run: obstacle}))
    computer.after(return_after + SHORTEST_STAY_SECONDS + HOUR + LOOK_SECONDS + 5 * MINUTE, a=None)
    assert computer.present == Present(A, is_over=False)


@pytest.mark.parametrize("obstacle", ENDS)
def test_the_next_run_begins_when_one_ends_and_says_why(obstacle: Obstacle) -> None:
    state = noted(began(OrderState(), A, 0.0), A, obstacle, 100.0)
    assert choose(state, ORDER, Present(A, is_over=True), 100.0, None) == Choice(B, obstacle)


def test_an_earlier_run_that_is_open_again_is_named_and_follows_when_the_present_one_ends() -> None:
    computer = Computer()
    computer.after(HOUR)
    computer.after(HOUR, a="paused")
    assert computer.present.run == B
    computer.after(5 * HOUR, a=None)
    assert (computer.choice.reopened, computer.choice.at) == (A, None)
    computer.after(MINUTE, b="finished")
    assert [run for _, run in computer.helped] == [A, B, A]


def test_at_a_start_the_runs_that_cannot_be_reached_are_passed_without_waiting() -> None:
    computer = Computer(world={A: "unreachable", B: "unreachable"})
    computer.after(5 * MINUTE)
    assert [run for _, run in computer.helped] == [C]


def test_where_no_run_can_be_helped_none_is_chosen_and_all_are_looked_at_again() -> None:
    computer = Computer(world={A: "paused", B: "paused", C: "finished"})
    computer.after(HOUR)
    assert computer.choice.run is None and not computer.helped
    computer.after(LOOK_SECONDS + MINUTE, b=None)
    assert [run for _, run in computer.helped] == [B]
