"""Byzantine reducers of local SGD, who do not return what they were to average: nobody but the senders can say it.

All peers go on with the same bytes, so a false average cannot be bounded, as one of gradients is in
``aggregation/answer_bounds.py``: it is refused, and the outer step left out. Two things are known of the true averages.
Our own changes are in them, so their inner product with ours is not far below zero. And they are not next to nothing
where those of other reducers are not.

With each average comes how far our own part counts in it, for our owner to read: see `CountedShares`.
"""

from __future__ import annotations

import contextlib
import math
import statistics
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable
from typing import Any

import torch
from hivemind.compression import serialize_torch_tensor
from hivemind.proto import averaging_pb2
from torch import Tensor

from core.worker.swarm.aggregation.answer_bounds import OPPOSITE
from core.worker.swarm.aggregation.medians import median_high

MIN_NUMBERS = 1000  # of a reducer: fewer may be opposite by chance
NOTHING = 0.01  # of the usual size of averages, beside ours: rows that few use are averaged to less than others
MIN_REDUCERS = 3  # of which most are right about the usual size
LEAST_COUNTED = 1e-6  # of a part, as it is told: 0 says nothing


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


class CountedShares:
    """How far our changes count in the averages of one exchange, from 0 to 1, as the reducers of the parts say.

    Nothing depends on it but what we tell our owner. The median of all numbers counts, so that reducers of less than
    half of them cannot talk us into anything.
    """

    def __init__(self) -> None:
        self._told: list[tuple[float, int]] = []

    def add(self, share: float, numbers: int) -> None:
        """Learn what a reducer says of a part of so many numbers."""
        self._told.append((share, numbers))

    def median(self) -> float:
        """The share of which, or of less, half of the numbers count; 1 where nobody has told anything."""
        return median_high(*zip(*self._told, strict=True)) if self._told else 1.0


class ListeningStub:
    """The stub of a reducer that hears how far our parts count, before hivemind reads the answers.

    An answer's ``weight``, which hivemind sets in requests only, says it of a part; 0 is that of a peer which says
    nothing of it. Who cannot use our parts, because they are too large, ends with ``PROTOCOL_VIOLATION``. ``lengths``
    count the numbers of each part.
    """

    def __init__(self, stub: Any, lengths: Iterable[int], counted: CountedShares) -> None:
        self._stub, self._lengths, self._counted = stub, iter(lengths), counted

    async def rpc_aggregate_part(self, parts: AsyncIterator[averaging_pb2.AveragingData]) -> Any:
        """Exchange parts for averages, as the stub does."""
        return self._heard(await self._stub.rpc_aggregate_part(parts))

    async def _heard(self, answers: Any) -> AsyncIterator[averaging_pb2.AveragingData]:
        async with contextlib.aclosing(answers):
            async for answer in answers:
                if answer.code == averaging_pb2.PROTOCOL_VIOLATION:
                    self._counted.add(0.0, sum(self._lengths))
                else:
                    self._counted.add(answer.weight if 0 < answer.weight <= 1 else 1.0, next(self._lengths, 0))
                yield answer


def answer(average: tuple[Tensor, float]) -> averaging_pb2.AveragingData:
    """What a sender is told of a part: its encoded average, and how far that sender's part counts in it."""
    encoded, counted = average
    part, weight = serialize_torch_tensor(encoded), max(LEAST_COUNTED, counted)
    return averaging_pb2.AveragingData(code=averaging_pb2.AVERAGED_PART, tensor_part=part, weight=weight)
