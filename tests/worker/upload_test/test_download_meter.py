"""A line receives at least what has arrived in the fastest seconds of a download."""

from __future__ import annotations

import pytest

from core.worker.delegation.download_limit import DownloadBudget
from core.worker.swarm.upload_test.download_meter import BUFFERED_BYTES, WINDOW_SECONDS, DownloadMeter

TICK = 0.1  # between two looks at a download
BYTES_A_SECOND = 2.5e6  # of a line of 20 Mbit/s


class Download:
    """A download that a meter watches, on a clock that the test moves on."""

    def __init__(self) -> None:
        self.now, self.received, self.budget = 0.0, 0.0, DownloadBudget()
        self.meter = DownloadMeter(self.budget, lambda: self.now)
        self.meter.note(0, False)

    def go_on(self, seconds: float, bytes_a_second: float) -> None:
        """So much arrives for so long."""
        for _ in range(round(seconds / TICK)):
            self.now += TICK
            self.received += TICK * bytes_a_second
            self.meter.note(int(self.received), False)


def test_the_fastest_seconds_count_whatever_comes_before_and_after_them() -> None:
    download = Download()
    download.go_on(20, 1e5)  # the donor is busy with others
    download.go_on(2 * WINDOW_SECONDS, BYTES_A_SECOND)
    download.go_on(30, 2e5)
    told = download.meter.take()
    assert told is not None and 0.8 < told / (8 * BYTES_A_SECOND) <= 1.0
    assert download.meter.take() is None, "it is told once"


def test_what_was_in_buffers_when_the_seconds_began_does_not_count() -> None:
    download = Download()
    download.go_on(60, 1e5)
    download.received += BUFFERED_BYTES  # read at once, after a while without a processor
    download.go_on(60, 1e5)
    told = download.meter.take()
    assert told is not None and told <= 8 * 1e5 * 1.01


@pytest.mark.parametrize("seconds", [0.0, WINDOW_SECONDS - 2 * TICK])
def test_of_a_short_download_nothing_is_told(seconds: float) -> None:
    download = Download()
    download.go_on(seconds, BYTES_A_SECOND)
    download.meter.note(int(download.received), True)
    download.now += 60.0
    download.meter.note(0, False)  # the next one, which begins much later
    download.meter.note(1, False)
    assert download.meter.take() is None


def test_what_the_owner_limits_is_not_the_line() -> None:
    download = Download()
    download.budget.limit = 100_000
    download.go_on(60, 1e5)
    download.budget.limit = None
    download.go_on(WINDOW_SECONDS - TICK, 1e5)
    assert download.meter.take() is None


def test_a_download_that_begins_again_is_another_one() -> None:
    download = Download()
    download.go_on(WINDOW_SECONDS - TICK, BYTES_A_SECOND)
    download.received = 0.0  # of the next donor
    download.go_on(WINDOW_SECONDS - TICK, BYTES_A_SECOND)
    assert download.meter.take() is None
