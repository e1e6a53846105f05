"""What two volunteers have learned over time: the held-out losses that both report, and how soon they were so low."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean


@dataclass(frozen=True)
class Reported:
    """The held-out loss of one volunteer, by its number, after so many seconds."""

    seconds: float
    volunteer: int
    loss: float


@dataclass(frozen=True)
class LossCurve:
    """What was reported in ``seconds``, in order; and how the volunteers have trained meanwhile.

    ``samples_per_second`` is of both together, ``stall_seconds`` the longest time that a loop stood still; of the
    ``rounds`` of both, those are ``whole`` in which everybody was.
    """

    seconds: float
    reported: tuple[Reported, ...]
    samples_per_second: float
    stall_seconds: float
    rounds: int
    whole: int

    @property
    def means(self) -> list[tuple[float, float]]:
        """The mean of both volunteers' last losses after each report, from the first on that both have made."""
        last, points = dict[int, float](), list[tuple[float, float]]()
        for each in self.reported:
            last[each.volunteer] = each.loss
            if len(last) > 1:
                points.append((each.seconds, mean(last.values())))
        return points

    @property
    def last(self) -> float:
        """The mean of both at the end; infinite where one has never reported any."""
        return self.means[-1][1] if self.means else math.inf

    def reaches(self, loss: float) -> float:
        """After how many seconds the mean was so low for the first time; infinite where it never was."""
        return next((seconds for seconds, mean_loss in self.means if mean_loss <= loss), math.inf)


def lowest(curves: Sequence[LossCurve]) -> LossCurve:
    """The one that ends lowest."""
    return min(curves, key=lambda curve: curve.last)
