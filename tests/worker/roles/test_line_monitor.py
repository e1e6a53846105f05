"""What averagers are told of a line that its owner limits: uploads and downloads each for what they are."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from core.worker.roles.line_monitor import LineMonitor
from core.worker.swarm.aggregation.bandwidths import MAX_STATED, stated_bandwidth


class Averager:
    """As much of one as is told."""

    def __init__(self) -> None:
        self.told: list[tuple[float | None, float | None]] = []

    def know_upload(self, bits_per_second: float | None, download: float | None = None) -> None:
        self.told.append((bits_per_second, download))


def test_a_download_limit_does_not_pass_for_a_slow_upload_and_a_lifted_limit_is_forgotten() -> None:
    averager, nobody = Averager(), cast(Any, None)
    monitor = LineMonitor(nobody, cast(Any, SimpleNamespace(averagers=[averager])), nobody, nobody, nobody)
    for limits in ((2e6, None), (None, 8e6), (None, None)):
        monitor.limit_to(*limits)
    assert averager.told == [(2e6, None), (None, 8e6), (None, None)]


@pytest.mark.parametrize(
    ("line", "stated"),
    [((20e6, None), 20.0), ((20e6, 8e6), 8.0), ((None, 8e6), 8.0), ((None, None), None), ((1e15, None), MAX_STATED)],
)
def test_the_group_is_told_of_the_slower_direction(
    line: tuple[float | None, float | None], stated: float | None
) -> None:
    assert stated_bandwidth(*line) == stated
