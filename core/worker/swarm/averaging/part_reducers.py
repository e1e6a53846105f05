"""What a reducer makes of the parts that it is sent; one sender's failure is no other sender's.

WORKAROUND H83: hivemind's reducer waits for a number of parts, whoever sends them: who sends one twice counts as two,
and the average is made without somebody who has yet to send, and is then banned. All who wait for a part share a
future, which is cancelled for everybody when one of them hangs up.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Collection, Generator, Sequence
from functools import partial
from typing import Any

from hivemind.averaging.partition import BannedException, TensorPartReducer
from torch import Tensor

from core.worker.swarm.aggregation.aggregators import Aggregator, ReceivedParts, Sent
from core.worker.swarm.trust.part_checks import is_plausible, part_error, root_mean_square


class ShieldedFuture(asyncio.Future[Tensor]):
    """What several wait for: who is cancelled meanwhile leaves it to the others."""

    def __await__(self) -> Generator[Any, None, Tensor]:
        return super().__await__() if self.done() else asyncio.shield(self).__await__()


class ValidatingReducer(TensorPartReducer):
    """Averages parts; who is ``shunned``, or sends what cannot be right, is left out as one who is lost."""

    shunned: Collection[int] = ()  # by their index among the senders

    def __init__(self, mine: Sequence[Tensor], senders: int) -> None:
        super().__init__(tuple(part.shape for part in mine), senders)
        self._mine = mine
        self.invalid_senders: set[int] = set()

    def reset_accumulators(self) -> None:
        """Begin the next part, as TensorPartReducer does."""
        super().reset_accumulators()
        if not self.finished.is_set():
            self.current_part_future = ShieldedFuture()

    async def accumulate_part(
        self, sender_index: int, part_index: int, tensor_part: Tensor, weight: float = 1.0
    ) -> Tensor:
        self._check_turn(sender_index, part_index)
        if sender_index in self.shunned:
            raise BannedException(f"sender {sender_index} is shunned")
        error = part_error(tensor_part, self.part_shapes[part_index], weight)
        if error or not is_plausible(tensor_part, self._usual_size(part_index)):
            self.invalid_senders.add(sender_index)
            raise BannedException(f"sender {sender_index} sent what cannot be right {error}")
        return await self._accumulated(sender_index, part_index, tensor_part, weight)

    def _check_turn(self, sender_index: int, part_index: int) -> None:
        """Raises BannedException unless that is the sender's next part; what has come before still counts."""
        if part_index != self.num_parts_received[sender_index]:
            self.invalid_senders.add(sender_index)
            raise BannedException(f"sender {sender_index} sent part {part_index} out of turn")

    async def _accumulated(self, sender_index: int, part_index: int, part: Tensor, weight: float) -> Tensor:
        averaged: Tensor = await super().accumulate_part(sender_index, part_index, part, weight)
        return averaged

    def _usual_size(self, part_index: int) -> float:
        """The root mean square of our own numbers in that part."""
        return root_mean_square(self._mine[part_index])

    def outliers(self) -> set[int]:
        """The senders whose parts were left out."""
        return self.invalid_senders

    def norm_ratios(self) -> dict[int, float]:
        """See `rules.norm_ratios`; none where the norms are not compared."""
        return {}


class CollectingReducer(ValidatingReducer):
    """Keeps what is sent of a part until all senders were heard; a subclass says what is made of it."""

    def reset_accumulators(self) -> None:
        """Begin the next part, as TensorPartReducer does."""
        super().reset_accumulators()
        if not self.finished.is_set():
            self.accumulator = ReceivedParts(partial(self._combined, self.current_part_index))

    async def _accumulated(self, sender_index: int, part_index: int, part: Tensor, weight: float) -> Tensor:
        sent: Any = Sent(sender_index, part, weight)  # hivemind gives it to our own accumulator, and to nothing else
        return await super()._accumulated(sender_index, part_index, sent, weight)

    def _combined(self, part_index: int, sent: Sequence[Sent]) -> Tensor:
        """What everybody gets of that part; nothing was ``sent`` where all who had any of it are lost."""
        raise NotImplementedError


class RobustReducer(CollectingReducer):
    """Has an aggregator average the parts; ``movements`` tell of each of ours how far it has moved."""

    def __init__(self, mine: Sequence[Tensor], senders: int, aggregator: Aggregator, movements: list[float]) -> None:
        self._aggregator, self._movements = aggregator, movements
        super().__init__(mine, senders)

    def _combined(self, part_index: int, sent: Sequence[Sent]) -> Tensor:
        mine = self._mine[part_index]
        return self._aggregator.aggregated(sent, mine, self._movements[part_index]) if sent else mine.clone()

    def _usual_size(self, part_index: int) -> float:
        """As ValidatingReducer; others may use rows that we do not, and we may have computed nothing."""
        return max(super()._usual_size(part_index), self._aggregator.own_size) or math.inf

    def outliers(self) -> set[int]:
        """The senders of invalid parts, and those that the aggregator names."""
        return super().outliers() | self._aggregator.named

    def norm_ratios(self) -> dict[int, float]:
        """As ValidatingReducer, of the gradients of an exchange."""
        return self._aggregator.norm_ratios()
