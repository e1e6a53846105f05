"""For how long a process has used a GPU, by the timestamps of the driver's samples.

A sample is a share of the time since the one before it, as nvtop and nvitop have found (Syllo/nvtop#91,
XuehaiPan/nvitop#85), so that a process has computed at least from ``share`` times that time before it on.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from core.availability.observation import GpuId, GpuUse

OLDEST_SAMPLE_SECONDS = 10.0
"""A sample that says to be older than that, or of the future, has no time that could be believed."""
SAMPLE_SECONDS = 1.0
"""The driver takes samples once a second at the least: without a newer one, the last holds for so long."""


@dataclass(frozen=True)
class Sample:
    """A process's ``share`` of a GPU's time, 0 to 1; ``at`` is in seconds of `time.monotonic`, ``None`` if unknown."""

    share: float
    at: float | None


def sample(share: float, microseconds: int) -> Sample:
    """The sample of a share; its timestamp is the driver's, of the CPU's clock in microseconds since 1970."""
    age = time.time() - microseconds / 1e6
    return Sample(share, time.monotonic() - age if 0 <= age <= OLDEST_SAMPLE_SECONDS else None)


@dataclass(frozen=True)
class UseDuration:
    """The last sample of a process, and since when its samples have reached the limit, where that is known."""

    last: Sample
    began: float | None

    def use(self, gpu: GpuId, program: str) -> GpuUse:
        """What it uses at this moment."""
        lasted = None if self.began is None else max(0.0, time.monotonic() - self.began)
        return GpuUse(gpu, program, self.last.share, lasted)

    @property
    def still_holds(self) -> bool:
        """Whether the driver may just not have taken a newer sample."""
        return self.last.at is not None and time.monotonic() - self.last.at < SAMPLE_SECONDS


def after_samples(
    before: UseDuration | None, samples: list[Sample], limit: float | None, looked_before: float | None
) -> UseDuration:
    """The duration after newer samples, the earliest first; ``looked_before`` is when samples were read before."""
    began = None if before is None else before.began
    previous = looked_before if before is None else before.last.at
    for each in samples:
        if limit is None or each.share < limit or each.at is None:
            began = None
        elif began is None:
            since = each.at if previous is None else min(each.at, max(previous, looked_before or previous))
            began = each.at - each.share * (each.at - since)
        previous = each.at
    return UseDuration(samples[-1], began)
