"""What a peer's reports amount to: samples that counted, and how long it stood still."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from core.protocol.events import Progress, RoundFinished, StateLoading
from tests.bench.peers.peer_process import Seen


@dataclass(frozen=True)
class Report:
    """A Progress and when it arrived, in seconds on the monotonic clock."""

    at: float
    progress: Progress


@dataclass(frozen=True)
class Track:
    """One peer's events in the order of their arrival. An epoch begins with the first report in it."""

    seen: tuple[Seen, ...]

    @property
    def reports(self) -> list[Report]:
        """Every report of progress."""
        return [Report(each.at, each.event) for each in self.seen if isinstance(each.event, Progress)]

    def arrival(self, epoch: int) -> Report | None:
        """The first report in that epoch, or in a later one where it was skipped."""
        return next((report for report in self.reports if report.progress.epoch >= epoch), None)

    def advanced(self, epoch: int) -> int | None:
        """The samples computed in an epoch that this peer itself took to its end.

        ``None`` if it skipped the epoch or downloaded the state meanwhile, which throws its gradients away.
        """
        begin, end = self.arrival(epoch), self.arrival(epoch + 1)
        if begin is None or end is None or (begin.progress.epoch, end.progress.epoch) != (epoch, epoch + 1):
            return None
        loads = [each.at for each in self.seen if isinstance(each.event, StateLoading)]
        if any(begin.at < load <= end.at for load in loads):
            return None
        return end.progress.contributed_samples - begin.progress.contributed_samples

    def longest_stall(self, after: float, until: float) -> float:
        """The longest time in seconds that the loop stood still, of what was reported in that time."""
        return max(self.stalls(after, until), default=0.0)

    def stalls(self, after: float, until: float) -> list[float]:
        """The longest time in seconds that the loop stood still before each report of that time."""
        return [each.progress.stalled_seconds for each in self.reports if after < each.at <= until]

    def gradient_rounds(self, after: float, until: float) -> tuple[int, int]:
        """How many of them were averaged with somebody, and how many there were."""
        rounds = [
            each.event for each in self.seen if after < each.at <= until and isinstance(each.event, RoundFinished)
        ]
        gradients = [each for each in rounds if each.kind == "gradients"]
        return sum(each.ok for each in gradients), len(gradients)


def joint_samples_per_second(tracks: Sequence[Track], first: int, after: int) -> float:
    """What all contribute from epoch ``first`` up to, not including, ``after``.

    Only samples of epochs that every one of them advanced count; the time of the others counts all the same.
    """
    joint = [epoch for epoch in range(first, after) if all(each.advanced(epoch) for each in tracks)]
    rate = 0.0
    for track in tracks:
        begin, end = track.arrival(first), track.arrival(after)
        if begin is None or end is None or end.at <= begin.at:
            return 0.0
        rate += sum(track.advanced(epoch) or 0 for epoch in joint) / (end.at - begin.at)
    return rate


def samples_per_second(track: Track, after: float, until: float) -> float:
    """All that was computed in that time, whether it counted or not; zero with fewer than two reports."""
    reports = [each for each in track.reports if after <= each.at <= until]
    if len(reports) < 2:
        return 0.0
    begin, end = reports[0], reports[-1]
    samples = end.progress.contributed_samples - begin.progress.contributed_samples
    return samples / (end.at - begin.at)


def speeds_by_rounds(track: Track, after: float, until: float) -> tuple[float, float]:
    """Samples a second in that time while rounds were under way, and while none was; zero where there was no such time.

    What lies between two reports belongs to where its middle lies.
    """
    finished = [(each.at, each.event.seconds) for each in track.seen if isinstance(each.event, RoundFinished)]
    samples, seconds = [0, 0], [0.0, 0.0]
    reports = [each for each in track.reports if after <= each.at <= until]
    for before, now in itertools.pairwise(reports):
        middle = (before.at + now.at) / 2
        where = not any(at - lasted <= middle <= at for at, lasted in finished)
        samples[where] += now.progress.contributed_samples - before.progress.contributed_samples
        seconds[where] += now.at - before.at
    during, between = (of / lasted if lasted else 0.0 for of, lasted in zip(samples, seconds, strict=True))
    return during, between
