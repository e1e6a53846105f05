"""The share of a run's workers in all that this computer sends and receives."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from core.client.hourly_traffic import increase
from core.protocol.events import Progress

WINDOW_SECONDS = 300.0
_STEP_SECONDS = 5.0  # between two looks that are kept
_LEAST_SECONDS, _LEAST_BYTES = 10.0, 10_000
_TOLERANCE = 1.1  # a report and the look at the interfaces are not of one moment


@dataclass(frozen=True)
class RunShare:
    """The share of the run, 0 to 1, over so many seconds."""

    share: float
    seconds: float


class _Look(NamedTuple):
    at: float
    of_run: int
    of_computer: int


class TrafficShare:
    """Compares what a run's workers report with what the interfaces have counted, over about the last 5 minutes."""

    def __init__(self) -> None:
        self._counted: dict[str, tuple[int, int]] = {}
        self._of_run = 0
        self._looks: deque[_Look] = deque()

    def note(self, reports: Mapping[str, Progress], interface_bytes: int | None, now: float) -> None:
        """Note the newest report of each device, by its label, and the interfaces' count at ``now``, in seconds."""
        for label, report in reports.items():
            if label in self._counted:
                self._of_run += sum(increase(report, *self._counted[label]))
            self._counted[label] = (report.sent_bytes, report.received_bytes)
        if interface_bytes is None or not reports or (self._looks and interface_bytes < self._looks[-1].of_computer):
            self._looks.clear()  # nothing is known, or an interface has gone
        if interface_bytes is None or not reports:
            return
        look = _Look(now, self._of_run, interface_bytes)
        if len(self._looks) > 1 and now - self._looks[-2].at < _STEP_SECONDS:
            self._looks[-1] = look
        else:
            self._looks.append(look)
        while len(self._looks) > 1 and now - self._looks[1].at >= WINDOW_SECONDS:
            self._looks.popleft()

    @property
    def share(self) -> RunShare | None:
        """The run's share; ``None`` where it is not known, or where the run does not go through the interfaces."""
        if not self._looks:
            return None
        first, last = self._looks[0], self._looks[-1]
        seconds, in_all = last.at - first.at, last.of_computer - first.of_computer
        of_run = last.of_run - first.of_run
        if seconds < _LEAST_SECONDS or in_all < _LEAST_BYTES or of_run > in_all * _TOLERANCE:
            return None
        return RunShare(min(1.0, of_run / in_all), seconds)
