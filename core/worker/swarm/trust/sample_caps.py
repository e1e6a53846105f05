"""How many samples a report may claim: what others of the run could have computed in the same time, some times over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from core.security.speed_limits import SpeedLimits
from core.worker.swarm.dht.progress_reports import PeerReport
from core.worker.swarm.trust.epoch_claims import Subkey


def cap_samples(
    reports: Mapping[Subkey, PeerReport], own: Subkey, epoch_began: float, now: float
) -> dict[Subkey, PeerReport]:
    """The reports with no more samples, and no higher speed, than are believed; our ``own`` as it is.

    Our epoch began at ``epoch_began``, and no report is believed to be older, nor to be of a time after ``now`` (both
    in seconds since 1970). A computer that is much faster than most of the others that compute counts as four of
    them (see `SpeedLimits`) when the end of an epoch is estimated; what it computes is averaged all the same.
    """
    limits = SpeedLimits(report.samples_per_second for report in reports.values())
    return {
        subkey: report if subkey == own else _capped(report, limits.limit(report.samples_per_second), epoch_began, now)
        for subkey, report in reports.items()
    }


def _capped(report: PeerReport, limit: float, epoch_began: float, now: float) -> PeerReport:
    """The report with a time within the epoch, and a speed of ``limit`` samples per second at the most."""
    time, speed = min(max(report.time, epoch_began), now), min(report.samples_per_second, limit)
    most = limit * max(1.0, time - epoch_began)
    samples = report.samples if report.samples <= most else int(most)
    return replace(report, time=time, samples_per_second=speed, samples=samples)
