"""Columns of time that keep what was noted in them, whatever the clock does."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.records.ring_buffer import RESOLUTIONS, Column, Resolution, RingBuffer

SMALL = Resolution(step_seconds=10, capacity=6)


def columns(ring: RingBuffer, first: int, count: int) -> dict[int, tuple[float, float]]:
    """What a window shows, by bucket, without its gaps."""
    lows, highs = ring.window(first, count)
    assert len(lows) == len(highs) == count
    assert [math.isnan(low) for low in lows] == [math.isnan(high) for high in highs]
    return {first + offset: (low, highs[offset]) for offset, low in enumerate(lows) if not math.isnan(low)}


def test_a_column_keeps_the_lowest_and_the_highest() -> None:
    ring = RingBuffer(SMALL)
    for at, value in ((100, 5.0), (103, 2.0), (109.9, 3.0), (110, 7.0)):
        ring.add(at, value)
    assert columns(ring, 9, 6) == {10: (2.0, 5.0), 11: (7.0, 7.0)}


def test_what_is_older_than_the_ring_is_gone() -> None:
    ring = RingBuffer(SMALL)
    for bucket in range(10):
        ring.add(bucket * 10, bucket)
    assert columns(ring, 0, 10) == {bucket: (bucket, bucket) for bucket in range(4, 10)}


def test_a_clock_that_jumps_forward_and_back_takes_nothing_away() -> None:
    ring = RingBuffer(Resolution(1, 600))
    for second in range(100):
        ring.add(1_000 + second, 1.0)
    ring.add(1_000 + 10_000_000, 2.0)
    ring.add(1_100, 3.0)
    assert len(columns(ring, 1_000, 600)) >= 100
    assert columns(ring, 1_100, 1) == {1_100: (3.0, 3.0)}
    assert columns(ring, 10_001_000, 1) == {10_001_000: (2.0, 2.0)}


def test_a_young_ring_takes_little_memory() -> None:
    ring = RingBuffer(Resolution(1, 1_000_000))
    ring.add(1_700_000_000, 1.0)
    ring.add(1_700_000_001, 1.0)
    assert len(ring._buckets) == 2


@given(st.lists(st.tuples(st.integers(0, 90), st.floats(-1e6, 1e6)), max_size=40), st.integers(1, 40))
def test_values_that_are_added_together_are_those_that_are_added_one_by_one(
    points: list[tuple[int, float]], together: int
) -> None:
    one_by_one, at_once = RingBuffer(SMALL), RingBuffer(SMALL)
    for at, value in points:
        one_by_one.add(at, value)
    for begin in range(0, len(points), together):
        at_once.add_points(points[begin : begin + together])
    for bucket in range(10):
        assert columns(at_once, bucket, 6) == columns(one_by_one, bucket, 6)
    assert at_once.take_unsaved(100) == one_by_one.take_unsaved(100)


_ACTIONS = st.lists(st.tuples(st.sampled_from(["note", "ask"]), st.integers(0, 300), st.floats(-1e6, 1e6)), max_size=60)


@given(_ACTIONS)
def test_a_window_is_what_a_plain_list_would_tell(actions: list[tuple[str, int, float]]) -> None:
    ring = RingBuffer(SMALL)
    plain: dict[int, tuple[int, float, float]] = {}
    for kind, at, value in actions:
        bucket = at // 10
        if kind == "note":
            ring.add(at, value)
            former, low, high = plain.get(bucket % 6, (bucket, value, value))
            same = former == bucket
            extremes = (min(low, value), max(high, value)) if same else (value, value)
            plain[bucket % 6] = (bucket, *extremes)
        else:
            expected = {held: (low, high) for held, low, high in plain.values() if bucket <= held < bucket + 6}
            assert columns(ring, bucket, 6) == expected


def test_a_window_that_was_handed_out_is_not_changed_any_more() -> None:
    ring = RingBuffer(SMALL)
    ring.add(100, 1.0)
    lows, _ = ring.window(10, 2)
    ring.add(105, 0.0)
    lows[1] = 9.0
    assert lows[0] == 1.0
    assert columns(ring, 10, 2) == {10: (0.0, 1.0)}


def test_what_is_new_can_be_taken_once_and_in_bites() -> None:
    ring = RingBuffer(SMALL)
    for bucket in range(20, 24):
        ring.add(bucket * 10, bucket)
    taken = [*ring.take_unsaved(3), *ring.take_unsaved(3)]
    assert sorted(taken) == sorted(Column(bucket % 6, bucket, bucket, bucket) for bucket in range(20, 24))
    assert ring.is_saved
    assert ring.take_unsaved(3) == []
    ring.add(235, 1.0)
    assert not ring.is_saved
    assert ring.take_unsaved(3) == [Column(5, 23, 1.0, 23.0)]


def test_what_was_saved_is_joined_with_what_was_noted_since() -> None:
    ring = RingBuffer(SMALL)
    ring.add(100, 5.0)
    ring.add(110, 5.0)
    ring.merge([(5, 0.0, 0.0), (9, 1.0, 2.0), (10, 1.0, 9.0)])
    assert columns(ring, 0, 20) == {9: (1.0, 2.0), 10: (1.0, 9.0), 11: (5.0, 5.0)}
    assert {column.bucket for column in ring.take_unsaved(10)} == {10, 11}


@pytest.mark.parametrize(("finer", "coarser"), list(pairwise(RESOLUTIONS)))
def test_each_resolution_reaches_further_than_the_finer_one(finer: Resolution, coarser: Resolution) -> None:
    assert finer.step_seconds < coarser.step_seconds
    assert finer.span_seconds < coarser.span_seconds
    assert max(finer.capacity, coarser.capacity) <= 2_000
