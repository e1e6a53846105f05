"""The progress of all peers of a run together, estimated from what each has reported."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from hivemind.optim.progress_tracker import GlobalTrainingProgress, LocalTrainingProgress
from hivemind.utils.performance_ema import PerformanceEMA

from core.worker.swarm.dht.progress_reports import PeerReport


class TrackerOptions(Protocol):
    """What hivemind's progress tracker knows of ourselves and of how often to look."""

    local_progress: LocalTrainingProgress
    performance_ema: PerformanceEMA
    target_batch_size: int
    min_refresh_period: float
    default_refresh_period: float
    max_refresh_period: float
    expected_drift_peers: float
    expected_drift_rate: float
    latest_epoch_end: float


def estimate_progress(reports: Collection[PeerReport], tracker: TrackerOptions, now: float) -> GlobalTrainingProgress:
    """The same that hivemind's ``ProgressTracker._parse_swarm_progress_data`` makes of valid records.

    The swarm's epoch is the highest that anybody has reached who can share a state. A report is extrapolated from its
    own time to ``now`` (seconds since 1970) with its peer's speed. An epoch to which anybody has contributed ends at
    ``latest_epoch_end`` of the tracker, once there are two peers.
    """
    mine, target = tracker.local_progress, tracker.target_batch_size
    if reports:
        epoch = max([mine.epoch, *(report.epoch for report in reports if not report.client_mode)])
        current = [report for report in reports if report.epoch == epoch]
        samples = sum(report.samples for report in current)
        by_now = sum(report.samples + max(0.0, now - report.time) * report.samples_per_second for report in current)
        speed = tracker.performance_ema.eps + sum(report.samples_per_second for report in reports)
        seconds = max(0.0, target - by_now) / speed
        if samples > 0 and len(reports) > 1:
            seconds = min(seconds, max(0.0, tracker.latest_epoch_end - now))
        # look earlier where many may have joined unseen
        drift = max(len(reports) + tracker.expected_drift_peers, len(reports) * (1 + tracker.expected_drift_rate))
        refresh = seconds * len(reports) / drift
        refresh = min(max(refresh, tracker.min_refresh_period), tracker.max_refresh_period)
    else:
        epoch, samples = mine.epoch, mine.samples_accumulated
        seconds = max(0, target - samples) / tracker.performance_ema.samples_per_second
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
