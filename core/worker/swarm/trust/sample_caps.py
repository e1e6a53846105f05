"""How many samples a report may claim: what others of the run could have computed in the same time, some times over."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping
from dataclasses import replace

from core.worker.swarm.dht.progress_reports import PeerReport
from core.worker.swarm.trust.epoch_claims import Subkey

MAX_SHARE = 4.0  # times the median speed of the others
LEAST_SPEED = 1e-6  # samples per second: less is told by keepers, and by who has not measured its own yet
MIN_OTHERS = 2  # that compute; of two peers nobody can say which one lies


def cap_samples(
    reports: Mapping[Subkey, PeerReport], own: Subkey, epoch_began: float, now: float
) -> dict[Subkey, PeerReport]:
    """The reports with no more samples, and no higher speed, than are believed; our ``own`` as it is.

    Our epoch began at ``epoch_began``, and no report is believed to be older, nor to be of a time after ``now`` (both
    in seconds since 1970). A computer that is much faster than most of the others that compute counts as ``MAX_SHARE``
    of them when the end of an epoch is estimated; what it computes is averaged all the same.
    """
    speeds = {
        subkey: each.samples_per_second for subkey, each in reports.items() if each.samples_per_second > LEAST_SPEED
    }
    capped = dict(reports)
    for subkey, report in reports.items():
        if subkey != own:
            others = [speed for other, speed in speeds.items() if other != subkey]
            limit = MAX_SHARE * statistics.median_high(others) if len(others) >= MIN_OTHERS else math.inf
            capped[subkey] = _capped(report, limit, epoch_began, now)
    return capped


def _capped(report: PeerReport, limit: float, epoch_began: float, now: float) -> PeerReport:
    """The report with a time within the epoch, and a speed of ``limit`` samples per second at the most."""
    time, speed = min(max(report.time, epoch_began), now), min(report.samples_per_second, limit)
    most = limit * max(1.0, time - epoch_began)
    samples = report.samples if report.samples <= most else int(most)
    return replace(report, time=time, samples_per_second=speed, samples=samples)
