"""Byzantine reducers of local SGD, who do not return what they were to average: nobody but the senders can say it.

All peers go on with the same bytes, so a false average cannot be bounded, as one of gradients is in
``aggregation/answer_bounds.py``: it is refused, and the outer step left out. Two things are known of the true averages.
Our own changes are in them, so their inner product with ours is not far below zero. And they are not next to nothing
where those of other reducers are not.
"""

from __future__ import annotations

import math
import statistics
from collections import defaultdict

import torch
from torch import Tensor

OPPOSITE = -0.2  # a cosine that no average of many numbers has with one of its terms
MIN_NUMBERS = 1000  # of a reducer: fewer may be opposite by chance
NOTHING = 0.01  # of the usual size of averages, beside ours: rows that few use are averaged to less than others
MIN_REDUCERS = 3  # of which most are right about the usual size


class ReducerAnswers:
    """What each reducer has returned in one exchange, beside what we had sent to it."""

    def __init__(self) -> None:
        self._sums = defaultdict[int, Tensor](lambda: torch.zeros(4, dtype=torch.float64))

    def add(self, reducer: int, sent: Tensor, average: Tensor) -> None:
        """Take in a part: vectors of float32, decoded."""
        squares = float(sent.norm()) ** 2, float(average.norm()) ** 2
        numbers = torch.tensor([*squares, float(sent @ average), len(sent)], dtype=torch.float64)
        self._sums[reducer] = self._sums[reducer] + numbers

    def liars(self, own: int | None) -> frozenset[int]:
        """The reducers whose averages cannot be true; ``own`` is ourselves, if we are one.

        Where all others seem to be, and there are several, it is we who differ from everybody.
        """
        sizes = {each: math.sqrt(sums[1] / sums[0]) for each, sums in self._sums.items() if sums[0]}
        others = sizes.keys() - {own}
        usual = self._usual_size(sizes, own)
        named = frozenset(each for each in others if self._is_opposite(each) or sizes[each] < NOTHING * usual)
        return frozenset() if len(others) > 1 and named == others else named

    def _is_opposite(self, reducer: int) -> bool:
        sent, averaged, product, numbers = self._sums[reducer].tolist()
        return bool(numbers >= MIN_NUMBERS and product < OPPOSITE * math.sqrt(sent * averaged))

    @staticmethod
    def _usual_size(sizes: dict[int, float], own: int | None) -> float:
        """Our own average's; else the median, where there are enough; 0 where nobody can tell."""
        if own in sizes:
            return sizes[own]
        return statistics.median(sizes.values()) if len(sizes) >= MIN_REDUCERS else 0.0
