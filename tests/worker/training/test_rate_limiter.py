"""The loop rests as long as it was asked to, and no longer once we leave."""

from __future__ import annotations

import threading
import time

import pytest

from core.worker.training.trainer import RateLimiter


@pytest.fixture
def leaving() -> threading.Event:
    return threading.Event()


def seconds_of(limiter: RateLimiter, samples: int, leaving: threading.Event) -> float:
    """How long it rests after those samples."""
    began = time.monotonic()
    limiter.wait(samples, leaving)
    return time.monotonic() - began


def test_without_a_limit_nobody_rests(leaving: threading.Event) -> None:
    assert seconds_of(RateLimiter(), 1_000_000, leaving) < 0.5


def test_samples_take_the_time_that_was_asked_for(leaving: threading.Event) -> None:
    limiter, began = RateLimiter(100.0), time.monotonic()
    for _ in range(5):
        limiter.wait(10, leaving)
    assert time.monotonic() - began >= 0.45


@pytest.mark.quiet
def test_time_that_was_computed_is_not_rested_again(leaving: threading.Event) -> None:
    limiter = RateLimiter(10.0)
    leaving.wait(0.3)  # the computing
    assert seconds_of(limiter, 2, leaving) < 0.1


@pytest.mark.quiet
def test_a_long_stall_is_made_up_for_by_one_second_at_most(leaving: threading.Event) -> None:
    limiter = RateLimiter(100.0)
    leaving.wait(1.5)  # the stall
    assert seconds_of(limiter, 100, leaving) < 0.2
    assert seconds_of(limiter, 50, leaving) >= 0.45


def test_who_leaves_does_not_rest_to_the_end(leaving: threading.Event) -> None:
    threading.Timer(0.1, leaving.set).start()
    assert seconds_of(RateLimiter(1.0), 1000, leaving) < 60
    assert seconds_of(RateLimiter(1.0), 1000, leaving) < 1
