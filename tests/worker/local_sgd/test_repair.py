"""A repair is tried until the weights are right, with longer and longer waits, and not for ever."""

from __future__ import annotations

import pytest

from core.worker.swarm.local_sgd import repair
from core.worker.swarm.local_sgd.repair import MAX_TRIES, STANDSTILL_TRIES, WAIT_SECONDS, Repair


class Clock:
    """A clock that stands still until it is told otherwise."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        """In place of time.monotonic."""
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    here = Clock()
    monkeypatch.setattr(repair, "time", here)
    return here


def test_without_a_request_nothing_is_due(clock: Clock) -> None:
    assert not Repair().is_due()


def test_others_have_a_moment_for_their_outer_step(clock: Clock) -> None:
    due = Repair()
    due.request(5)
    assert not due.is_due()
    clock.now += WAIT_SECONDS
    assert due.is_due() and due.min_outer_steps == 5


def test_it_is_over_once_the_weights_have_as_many_steps_behind_them(clock: Clock) -> None:
    due = Repair()
    due.request(5)
    clock.now += WAIT_SECONDS
    due.tried(4, stand_still=False)
    assert not due.is_due()
    clock.now += 2 * WAIT_SECONDS
    assert due.is_due()
    due.tried(5, stand_still=False)
    clock.now += 1000
    assert not due.is_due() and due.min_outer_steps == 0


def test_after_some_tries_it_waits_for_the_next_group(clock: Clock) -> None:
    due = Repair()
    due.request(5)
    for _ in range(MAX_TRIES):
        clock.now += 1000
        assert due.is_due()
        due.tried(4, stand_still=False)
    clock.now += 1000
    assert not due.is_due()
    due.request(6)
    clock.now += WAIT_SECONDS
    assert due.is_due()


def test_a_round_that_has_failed_for_all_is_not_looked_for_any_longer(clock: Clock) -> None:
    due = Repair()
    due.request(5)
    for _ in range(STANDSTILL_TRIES):
        clock.now += 1000
        assert due.is_due()
        due.tried(4, stand_still=True)
    clock.now += 1000
    assert not due.is_due() and due.min_outer_steps == 0
