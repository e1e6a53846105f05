"""The slowest time at which a GPU was given back counts, and what was not measured is not called good."""

from __future__ import annotations

from tests.bench.gpu_yield import GpuYieldMeasured, Yielding, gpu_yield_rows
from tests.bench.window.pause import Pausing


def test_the_slowest_counts_and_each_cause_has_its_own_time_to_be_seen() -> None:
    measured = GpuYieldMeasured()
    assert [row.is_reached for row in gpu_yield_rows(measured)] == [None] * 6
    measured.yieldings += [Yielding("gpu", 2.9, Pausing(1.05, 2.9, 0.1)), Yielding("game", 0.1, Pausing(0.2, 0.5, 0.1))]
    assert [row.is_reached for row in gpu_yield_rows(measured)] == [True] * 6
    measured.yieldings += [Yielding("gpu", 4.1, Pausing(1.15, 3.1, 0.1)), Yielding("game", 2.1, Pausing(0.2, 0.5, 0.1))]
    assert [row.is_reached for row in gpu_yield_rows(measured)] == [False] * 4 + [True] * 2
    assert gpu_yield_rows(measured)[0].ours == "4.10 s"
