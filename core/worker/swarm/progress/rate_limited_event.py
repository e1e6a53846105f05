"""An event that wakes its waiter only so often."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable

REPORT_SECONDS, MOST_REPORT_SECONDS = 1.0, 20.0  # between two reports of our progress, at the least and at the most
REPORTS_TO_END = 2  # in the time until the epoch ends; between two of them others extrapolate with our speed
LEAST_SHARE, MOST_LEAST_SECONDS = 0.04, 5.0  # of an epoch between two reports, at the least; never more than so long


def report_period(seconds_to_end: float, epoch_seconds: float = 0.0) -> float:
    """How many seconds are between two reports where the epoch ends in so many: the nearer its end, the fewer.

    When it ends is not known while it is infinite, before anybody has been looked at: then as few as may be. An epoch
    that lasts ``epoch_seconds`` in all needs no reports of each second before its end: the others know our speed.
    """
    if math.isinf(seconds_to_end):
        return REPORT_SECONDS
    least = max(REPORT_SECONDS, min(LEAST_SHARE * epoch_seconds, MOST_LEAST_SECONDS))
    return min(max(seconds_to_end / REPORTS_TO_END, least), MOST_REPORT_SECONDS)


class RateLimitedEvent(threading.Event):
    """An event whose one waiter wakes at most once in a ``period``, in seconds, and besides whenever it is urgent.

    WORKAROUND H7: hivemind reports progress after every micro-batch. Each report costs a process hop, a signature
    and messages to other peers; with two peers on two cores and epochs of eight seconds, reports, offers of the state
    and searches for groupmates took a sixth of each core away from training.

    What is urgent does not put off the next report: an epoch's beginning, at which there are no samples yet, is, and
    hivemind publishes nothing of a peer that never reports samples. Where epochs are shorter than ``REPORT_SECONDS``
    it would be invisible.
    """

    def __init__(self, period: Callable[[], float] = lambda: REPORT_SECONDS) -> None:
        super().__init__()
        self._period = period
        self._due = time.monotonic()
        self._is_urgent = threading.Event()

    def set_urgently(self) -> None:
        """Wake the waiter now, however recently it was woken."""
        self._is_urgent.set()
        self.set()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the event as ``threading.Event`` does, and then until the waiter may wake again."""
        is_set = super().wait(timeout)
        if not self._is_urgent.wait(max(0.0, self._due - time.monotonic())):
            self._due = time.monotonic() + self._period()
        self._is_urgent.clear()
        return is_set
