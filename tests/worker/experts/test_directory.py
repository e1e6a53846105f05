"""Whom a trainer asks: one host for each expert, as long as it answers, and never for longer than its time-out."""

from __future__ import annotations

import asyncio
import time

import pytest

from core.worker.experts.block import ExpertId
from core.worker.swarm.experts.announcements import LIFETIME_SECONDS
from core.worker.swarm.experts.directory import (
    DISTRUSTED_SECONDS,
    FIRST_AWAY_SECONDS,
    REFUSING_SECONDS,
    ExpertDirectory,
)
from core.worker.swarm.experts.latency import (
    FIRST_SECONDS,
    LEAST_SECONDS,
    MOST_SECONDS,
    AwakeTimeout,
    RetransmissionTimeout,
)
from tests.support.computer.fake_clock import FakeClock

FIRST, SECOND = ExpertId(1, 0), ExpertId(1, 1)


@pytest.fixture
def clock() -> FakeClock:
    """At zero."""
    return FakeClock()


@pytest.fixture
def directory(clock: FakeClock) -> ExpertDirectory:
    """Two hosts that have answered a probe, of which the second one claims the first one's expert, too."""
    known = ExpertDirectory(clock)
    known.see({"a": frozenset({FIRST})})
    known.see({"b": frozenset({FIRST, SECOND}), "a": frozenset({FIRST})})
    for peer in known.due_for_probe():
        known.came_back(peer)
    return known


def test_a_host_is_asked_for_nothing_before_it_has_answered_a_probe(clock: FakeClock) -> None:
    directory = ExpertDirectory(clock)
    directory.see({"a": frozenset({FIRST})})
    assert directory.due_for_probe() == ("a",) and directory.host_of(FIRST) is None
    directory.failed("a")
    assert directory.due_for_probe() == ()
    clock.now = FIRST_AWAY_SECONDS
    assert directory.due_for_probe() == ("a",)
    directory.came_back("a")
    assert directory.host_of(FIRST) == "a" and directory.due_for_probe() == ()


def test_of_several_hosts_that_claim_an_expert_the_first_one_is_asked(directory: ExpertDirectory) -> None:
    assert (directory.host_of(FIRST), directory.host_of(SECOND)) == ("a", "b")
    assert list(directory.available(1)) == [0, 1] and not directory.available(3)


def test_a_host_that_does_not_answer_is_left_out_at_once_and_probed_later_each_time(
    directory: ExpertDirectory, clock: FakeClock
) -> None:
    directory.failed("b")
    directory.failed("b")
    assert directory.latency("b") is None
    assert directory.host_of(SECOND) is None and list(directory.available(1)) == [0]
    clock.now = FIRST_AWAY_SECONDS
    assert directory.due_for_probe() == ("b",)
    directory.failed("b")
    clock.now += FIRST_AWAY_SECONDS
    assert directory.due_for_probe() == ()
    clock.now += FIRST_AWAY_SECONDS
    assert directory.due_for_probe() == ("b",)
    directory.came_back("b")
    directory.answered("b", "forward", 0.1)
    assert directory.latency("b") == 0.1 and directory.latency("nobody") is None
    assert directory.host_of(SECOND) == "b"
    directory.failed("b")
    clock.now += FIRST_AWAY_SECONDS
    assert directory.due_for_probe() == ("b",)


def test_a_host_that_answers_what_cannot_be_is_left_out_although_it_goes_on_announcing(
    directory: ExpertDirectory, clock: FakeClock
) -> None:
    directory.distrust("a")
    clock.now = DISTRUSTED_SECONDS - 1
    directory.see({"a": frozenset({FIRST}), "b": frozenset({FIRST, SECOND})})
    assert directory.host_of(FIRST) == "b" and directory.due_for_probe() == ()


def test_a_host_that_answers_nothing_but_refusals_is_left_out_and_then_for_longer(
    directory: ExpertDirectory, clock: FakeClock
) -> None:
    for clock.now in (0.0, REFUSING_SECONDS - 1.0):
        directory.refused("a")
        assert directory.host_of(FIRST) == "a"
    directory.answered("a", "forward", 0.1)
    for clock.now in (REFUSING_SECONDS, 2 * REFUSING_SECONDS):
        assert directory.host_of(FIRST) == "a"
        directory.refused("a")
    assert directory.host_of(FIRST) == "b"
    clock.now += FIRST_AWAY_SECONDS
    directory.came_back("a")
    directory.refused("a")
    clock.now += FIRST_AWAY_SECONDS
    assert directory.host_of(FIRST) == "b" and directory.due_for_probe() == ()


def test_a_host_is_forgotten_when_it_says_goodbye_or_nothing_for_a_minute(
    directory: ExpertDirectory, clock: FakeClock
) -> None:
    directory.see({"a": frozenset(), "b": frozenset({SECOND})})
    assert directory.hosts() == ("b",)
    clock.now = LIFETIME_SECONDS
    directory.see({})
    assert directory.host_of(SECOND) == "b"
    clock.now += 1
    directory.see({})
    assert directory.hosts() == ()


def test_a_host_that_says_it_has_no_such_expert_is_believed(directory: ExpertDirectory) -> None:
    directory.forget_claim("a", FIRST)
    assert directory.host_of(FIRST) == "b"


@pytest.mark.parametrize("before", [0.0, 0.9])
def test_who_stands_still_longer_than_a_timeout_waits_as_long_afterwards(before: float) -> None:
    """As a computer that sleeps; the answer comes within the time-out once it is awake."""

    async def answered() -> float:
        async with AwakeTimeout(1.0) as limit:
            await asyncio.sleep(before)
            asyncio.get_running_loop().call_soon(time.sleep, 3.0)
            await asyncio.sleep(0.05)
        return limit.stood_still

    assert 2.5 < asyncio.run(answered()) < 3.5


def test_who_is_awake_waits_no_longer_than_a_timeout() -> None:
    async def waits() -> None:
        async with AwakeTimeout(0.3):
            await asyncio.sleep(60.0)

    with pytest.raises(TimeoutError):
        asyncio.run(waits())


def test_a_timeout_follows_the_latency_and_its_variation_within_bounds() -> None:
    timeout = RetransmissionTimeout()
    assert timeout.seconds == FIRST_SECONDS
    for _ in range(50):
        timeout.see(0.01)
    assert timeout.seconds == LEAST_SECONDS
    for _ in range(50):
        timeout.see(3.0)
    assert 3.0 < timeout.seconds < 3.5
    timeout.see(30.0)
    assert timeout.seconds == MOST_SECONDS < 5.0
