"""The progress of all peers of a run together, estimated from what each has reported, and when an epoch ends."""

from __future__ import annotations

import math
import statistics
from collections.abc import Collection, Mapping
from typing import Protocol

from hivemind.optim.progress_tracker import GlobalTrainingProgress, LocalTrainingProgress, ProgressTracker
from hivemind.utils.performance_ema import PerformanceEMA

from core.worker.swarm.dht.progress_reports import PeerReport
from core.worker.swarm.patches.monotonic_clock import steady_time

FEW_PEERS = 10
MIN_WEIGHT = 0.01  # so that an average of those who have computed nothing is a number


class TrackerOptions(Protocol):
    """What hivemind's progress tracker knows of ourselves and of how often to look."""

    local_progress: LocalTrainingProgress
    performance_ema: PerformanceEMA
    target_batch_size: int
    min_refresh_period: float
    default_refresh_period: float
    max_refresh_period: float
    metadata_expiration: float
    expected_drift_peers: float
    expected_drift_rate: float
    latest_epoch_end: float
    extrapolated_from: float


class KeeperSpeed(PerformanceEMA):
    """The speed of a keeper, in samples per second: none, however many it reports so that others know of it.

    WORKAROUND H69: hivemind measures a speed from whatever is reported, and counts nobody who reports no samples. A
    keeper's would be as much as a volunteer's where a sample takes a volunteer seconds.
    """

    def __init__(self) -> None:
        super().__init__()
        self.samples_per_second = 0.0

    def update(self, task_size: float, interval: float | None = None) -> float:
        """Measure nothing, and return the speed."""
        return self.samples_per_second


def estimate_progress(
    reports: Collection[PeerReport], tracker: TrackerOptions, now: float, believed: float = math.inf
) -> GlobalTrainingProgress:
    """The same that hivemind's ``ProgressTracker._parse_swarm_progress_data`` makes of valid records.

    The swarm's epoch is the highest that anybody has reached who can share a state, of those that are ``believed``. A
    report is extrapolated from its own time to ``now`` (seconds since 1970) with its peer's speed, but not over the
    time before ``extrapolated_from`` of the tracker, in which nobody has computed. An epoch to which anybody has
    contributed ends at ``latest_epoch_end`` of the tracker, once there are two peers.
    """
    mine, target = tracker.local_progress, tracker.target_batch_size
    if reports:
        direct = [report.epoch for report in reports if not report.client_mode and report.epoch <= believed]
        epoch = max([mine.epoch, *direct])
        current = [report for report in reports if report.epoch == epoch]
        samples = sum(report.samples for report in current)
        by_now = samples + sum(_samples_since(report, tracker.extrapolated_from, now) for report in current)
        speed = tracker.performance_ema.eps + sum(report.samples_per_second for report in reports)
        seconds = max(0.0, target - by_now) / speed
        if samples > 0 and len(reports) > 1:
            seconds = min(seconds, max(0.0, tracker.latest_epoch_end - now))
        refresh = _refresh_period(seconds, len(reports), tracker)
    else:
        epoch, samples = mine.epoch, mine.samples_accumulated
        seconds = max(0, target - samples) / _own_speed(tracker.performance_ema)
        refresh = tracker.default_refresh_period
    return GlobalTrainingProgress(
        epoch,
        samples,
        target,
        num_peers=len(reports),
        num_clients=sum(report.client_mode for report in reports),
        eta_next_epoch=now + seconds,
        next_fetch_time=now + refresh,
    )


def _own_speed(measured: PerformanceEMA) -> float:
    """In samples per second: nearly none, but never zero, before anything is measured."""
    return float(max(measured.eps, measured.samples_per_second))


def _samples_since(report: PeerReport, extrapolated_from: float, now: float) -> float:
    """What its peer has computed since the report, at its speed."""
    return max(0.0, now - max(report.time, extrapolated_from)) * report.samples_per_second


def _refresh_period(seconds: float, peers: int, tracker: TrackerOptions) -> float:
    """How long until the next look, if the epoch ends in so many seconds: earlier where many may have joined unseen."""
    drift = max(peers + tracker.expected_drift_peers, peers * (1 + tracker.expected_drift_rate))
    return min(max(seconds * peers / drift, tracker.min_refresh_period), longest_refresh_period(peers, tracker))


def longest_refresh_period(peers: int, tracker: TrackerOptions) -> float:
    """The longest time between two looks, in seconds: the run's, and longer where a look brings many reports.

    So all looks together bring no more bytes in a second than those of `FEW_PEERS`. A report lives twice as long.
    """
    longest = max(tracker.max_refresh_period, tracker.metadata_expiration / 2)
    return min(tracker.max_refresh_period * max(1.0, peers / FEW_PEERS), longest)


def weight_of_epoch(tracker: ProgressTracker) -> float:
    """Of our parameters in the average: our samples of this epoch, as a multiple of what one peer has on average.

    With averaged gradients all parameters are equal, and no weight matters. Where a round of gradients has failed,
    each has stepped with its own; the average with these weights is the step that they would have made together
    (exactly so with SGD), and a newcomer's few samples count as few.
    """
    peers, mine = tracker.global_progress.num_peers, tracker.local_progress.samples_accumulated
    return float(max(MIN_WEIGHT, mine * max(1, peers) / tracker.target_batch_size))


class EpochClock:
    """When our epoch ends in a run whose epochs last ``max_seconds`` at the most; infinity elsewhere.

    Nobody begins an epoch at the very moment at which the others do. Whoever went by its own clock alone, and was late
    once by more than a group is waited for, would be late in all epochs after. So an epoch ends by the clock of the
    lower median of those who are in it, but never later than by our own, nor earlier than half of its time.

    A report tells how many samples its peer has computed in the epoch and how many in a second, and so when it began;
    each peer's first one counts, which comes soon after that, when an error of the speed makes little difference.
    """

    def __init__(self, max_seconds: float) -> None:
        self.max_seconds = max_seconds
        self.begin()

    def begin(self) -> None:
        """Begin an epoch of ours at this very moment."""
        self._began = steady_time()
        self._others: dict[bytes, float] = {}

    def see(self, others: Mapping[bytes, PeerReport], epoch: int) -> None:
        """Take note of those of the others who are in our ``epoch``."""
        for subkey, report in others.items():
            if report.epoch == epoch and report.samples_per_second > 0:
                self._others.setdefault(subkey, report.time - report.samples / report.samples_per_second)

    @property
    def began(self) -> float:
        """When it began for us, or for most of those who are in it if that was earlier."""
        return min(self._began, statistics.median_low([self._began, *self._others.values()]))

    @property
    def end(self) -> float:
        """When it ends, in seconds since 1970."""
        return max(self.began + self.max_seconds, self._began + self.max_seconds / 2)
