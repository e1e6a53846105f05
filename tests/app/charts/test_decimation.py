"""Curves thinned out to columns, and the marks beside them."""

from __future__ import annotations

import math
from array import array

import pytest

from app.charts.axis import count_ticks, scale, time_ticks
from app.charts.decimation import columns, nearest, segments
from app.charts.definitions import GRAPHS
from app.charts.picture import distinct_scale
from app.charts.resampling import against
from core.records.time_series import Curve
from tests.app.support.training_sample import NOW, curve


def test_no_peak_is_lost_however_narrow_the_picture() -> None:
    whole = curve(lambda index: 9.0 if index == 777 else 1.0, 1440, 60.0)
    for width in (7, 100, 333, 1440, 5000):
        found = columns(whole, NOW - 86400, NOW, width)
        assert len(found) <= max(width, 1) + 1 or width >= 1440
        assert max(column.high for column in found) == 9.0
        assert min(column.low for column in found) == 1.0


def test_a_peak_keeps_its_shape_while_the_picture_moves_on() -> None:
    whole = curve(lambda index: float(index % 13), 2000, 1.0)
    before = columns(whole, NOW - 1000, NOW, 100)
    after = columns(whole, NOW - 997, NOW, 100)
    assert set(after[1:-1]) <= set(before)


def test_what_is_not_known_makes_a_gap_if_it_lasts() -> None:
    whole = curve(lambda index: math.nan if 100 <= index < 200 or index == 50 else 1.0)
    found = columns(whole, NOW - 300, NOW, 300)
    assert [len(stretch) for stretch in segments(found, 5.0)] == [99, 100]
    assert len(segments(found, math.inf)) == 1
    assert segments([], 5.0) == []


def test_curves_without_anything_to_draw_are_no_trouble() -> None:
    assert columns(curve(lambda _: math.nan), NOW - 300, NOW, 300) == []
    assert columns(Curve(NOW, 1.0, array("d"), array("d")), NOW - 300, NOW, 300) == []
    assert columns(curve(float), NOW + 10, NOW + 20, 300) == []
    assert columns(curve(float), NOW, NOW, 300) == []


def test_pointing_finds_the_nearest_column_or_none() -> None:
    found = columns(curve(float, 10), NOW - 10, NOW, 100)
    column = nearest(found, NOW - 4.4, 5.0)
    assert column is not None and column.middle == 5.0
    assert nearest(found, NOW - 400, 5.0) is None
    assert nearest([], NOW, 5.0) is None


def test_values_are_marked_where_a_person_would() -> None:
    assert scale(3.0, 3120.0, 4, from_zero=True).ticks == (0.0, 1000.0, 2000.0, 3000.0, 4000.0)
    assert scale(0.2, 0.5, 2, from_zero=True, ceiling=1.0).ticks == (0.0, 0.5, 1.0)
    assert scale(41.0, 43.0, 4, from_zero=False, whole=True).ticks == (41.0, 42.0, 43.0)


@pytest.mark.parametrize(("low", "high"), [(3.283, 3.294), (0.2, 4.1), (0.8731, 0.8732)])
@pytest.mark.usefixtures("english")
def test_no_two_marks_of_a_scale_are_written_alike(low: float, high: float) -> None:
    graph = next(each for each in GRAPHS if each.key == "loss")
    marks = distinct_scale(graph, low, high, 4)
    assert marks.bottom <= low and high <= marks.top
    written = [graph.mark(value) for value in marks.ticks]
    assert len(set(written)) == len(written) or high - low < 0.001


def test_a_flat_curve_has_a_scale_too() -> None:
    for value in (0.0, 1.0, -3.0, 1e-9, 1e12):
        for from_zero in (True, False):
            marks = scale(value, value, 4, from_zero=from_zero)
            assert marks.bottom <= value <= marks.top
            assert marks.bottom < marks.top
            assert 0.0 <= marks.fraction(value) <= 1.0
            assert marks.bottom >= 0.0 or value < 0.0


def test_times_are_marked_at_round_ones() -> None:
    for length in (300.0, 1800.0, 21600.0, 86400.0, 30 * 86400.0, 3 * 365 * 86400.0):
        marks = time_ticks(NOW - length, NOW, 5)
        assert 2 <= len(marks) <= 6
        assert all(NOW - length <= at <= NOW for at, _ in marks)
        assert len({text for _, text in marks}) > 1


def test_round_counts_stand_along_an_axis_of_samples() -> None:
    assert count_ticks(3.0, 9_700.0, 4) == [2500.0, 5000.0, 7500.0]
    assert count_ticks(0.0, 1.0, 5) == [0.0, 1.0]


def test_a_curve_over_samples_has_each_value_where_the_run_was_then() -> None:
    """The run learns from ten samples a second, does nothing for a hundred seconds, and goes on twice as fast."""
    samples = curve(lambda second: 1e6 + (10.0 * second if second < 100 else 20.0 * max(second - 150, 50)))
    loss = curve(lambda second: math.nan if second % 7 else 3.0 - second / 200)
    over = against(loss, samples)
    found = columns(over, over.begin, over.begin + over.step_seconds * len(over.lows), 2000)
    assert found[0].at == pytest.approx(1e6) and found[-1].at == pytest.approx(1e6 + 20 * 144, abs=over.step_seconds)
    for column in found:
        seconds = (column.at - 1e6) / 10 if column.at < 1e6 + 990 else (column.at - 1e6) / 20 + 150
        if not 1e6 + 970 < column.at < 1e6 + 1010:
            assert column.middle == pytest.approx(3.0 - seconds / 200, abs=0.02)
    (still,) = [column for column in found if column.at == pytest.approx(1e6 + 1000, abs=over.step_seconds)]
    assert (still.low, still.high) == (3.0 - 196 / 200, 3.0 - 105 / 200)


def test_a_curve_over_samples_that_are_not_known_is_empty() -> None:
    nothing = curve(lambda _: math.nan)
    assert not against(curve(lambda _: 1.0), nothing).lows
    assert not against(nothing, curve(lambda second: float(second))).lows
    later = Curve(NOW + 10, 1.0, array("d", [1.0]), array("d", [1.0]))
    assert not against(curve(lambda _: 1.0), later).lows
