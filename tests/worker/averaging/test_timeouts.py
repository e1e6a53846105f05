"""How long an all-reduce waits for others follows from what they send, and from how it went."""

from __future__ import annotations

import pytest

from core.worker.swarm.averaging.timeouts import (
    LONGEST_SECONDS,
    MAX_STRETCH,
    SLOWEST_BITS_PER_SECOND,
    AllreduceTimeouts,
    exchange_seconds,
    shared_seconds,
)

PART_BYTES, SHORTEST = 2**19, 5.0
SMALL, LARGE = 20_000, 10_000_000  # numbers


def timeouts(numbers: int) -> AllreduceTimeouts:
    """Those of an averager of so many numbers, before its first exchange."""
    return AllreduceTimeouts(numbers, PART_BYTES, SHORTEST, shared_seconds())


def test_a_small_model_needs_none() -> None:
    one = timeouts(SMALL)
    for _ in range(9):
        one.record(20.0, is_whole=False)
    assert one.part_seconds(2) == SHORTEST
    one.record(1000.0, is_whole=True)
    assert one.latecomer_seconds == SHORTEST


@pytest.mark.parametrize("peers", [2, 3, 16])
def test_the_slowest_line_has_time_for_a_part_to_everybody(peers: int) -> None:
    needed_seconds = PART_BYTES * (peers - 1) * 8 / SLOWEST_BITS_PER_SECOND
    assert timeouts(LARGE).part_seconds(peers) == pytest.approx(max(SHORTEST, needed_seconds))


def test_it_grows_while_peers_are_lost_and_shrinks_when_they_are_not() -> None:
    one = timeouts(LARGE)
    first = one.part_seconds(16)
    for _ in range(9):
        one.record(20.0, is_whole=False)
    assert one.part_seconds(16) == MAX_STRETCH * first
    for _ in range(9):
        one.record(20.0, is_whole=True)
    assert one.part_seconds(16) == first


def test_a_latecomer_has_as_long_as_the_last_exchange_took() -> None:
    shared = shared_seconds()
    one, other = (AllreduceTimeouts(LARGE, PART_BYTES, SHORTEST, shared) for _ in range(2))
    one.record(70.0, is_whole=True)
    assert other.latecomer_seconds == 70.0, "the other averager's rounds come after this one's"
    one.record(1e9, is_whole=True)
    assert other.latecomer_seconds == exchange_seconds(LARGE)


def test_an_exchange_has_the_time_that_the_slowest_line_needs_but_not_for_ever() -> None:
    assert exchange_seconds(SMALL) < 2.0
    assert exchange_seconds(LARGE) == pytest.approx(640.0)
    assert exchange_seconds(10**12) == LONGEST_SECONDS
