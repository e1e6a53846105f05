"""What the devices of a fleet draw, as the peers tell whose drivers measure it; nobody reckons with the others.

A liar may add energy; it is capped by that of the others, as its speed is (see `SpeedLimits`).
"""

from __future__ import annotations

from collections.abc import Sequence

from core.fleet.snapshot import FleetEnergy
from core.protocol.peers import PeerSeen
from core.security.speed_limits import SpeedLimits


def energy_of(peers: Sequence[PeerSeen], run_ends_in: float | None) -> FleetEnergy | None:
    """The sums over those of the peers that tell, while the run ends in so many seconds; ``None`` where none does."""
    told = [peer.power for peer in peers if peer.power is not None]
    if not told:
        return None
    watts, capped = _believed([float(power.watts) for power in told])
    joules, also_capped = _believed([float(power.joules) for power in told])
    return FleetEnergy(
        telling=len(told),
        capped=sum(map(max, capped, also_capped)),
        watts=sum(watts),
        joules=sum(joules),
        joules_at_end=None if run_ends_in is None else sum(joules) + sum(watts) * run_ends_in,
    )


def _believed(figures: Sequence[float]) -> tuple[list[float], list[bool]]:
    """As much of each as is believed beside the others, and whether that is less than what was told."""
    limits = SpeedLimits(figures)
    believed = [min(figure, limits.limit(figure)) for figure in figures]
    return believed, [less < figure for less, figure in zip(believed, figures, strict=True)]
