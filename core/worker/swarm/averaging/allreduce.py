"""An all-reduce that trusts nobody: invalid numbers are left out, and lost peers are reported.

hivemind's butterfly all-reduce (``hivemind/averaging/allreduce.py``) splits the flattened tensors into parts. Each
peer, the *reducer* of some parts, averages what all *senders* send it of them, and sends everybody the difference
between the average and what that sender had.

WORKAROUND H11: hivemind replaces what a lost reducer should have averaged by our own tensors, logs "received 50.0%
results" and calls the round a success. It also passes on whatever it is sent, whether finite or not.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable, Collection, Iterable, MutableMapping, Sequence
from itertools import accumulate
from typing import Any

import torch
from hivemind.averaging.allreduce import AllReduceRunner
from hivemind.averaging.matchmaking import MatchmakingException
from hivemind.averaging.partition import TensorPartContainer
from hivemind.compression import CompressionBase, CompressionInfo
from hivemind.p2p import P2PContext, PeerID
from hivemind.proto import averaging_pb2
from torch import Tensor

from core.worker.swarm.aggregation.aggregators import Aggregator
from core.worker.swarm.aggregation.outcome import AllreduceOutcome
from core.worker.swarm.aggregation.silent_reducers import AnswerDeadlines
from core.worker.swarm.averaging.part_reducers import RobustReducer, ValidatingReducer
from core.worker.swarm.trust.part_checks import is_plausible, root_mean_square

log = logging.getLogger(__name__)


class NotFiniteError(Exception):
    """Our own tensors are not finite, and nobody must get them. hivemind does not try again after this."""


class ExchangeFailedError(MatchmakingException):
    """A peer of the group was lost, or sent what could not be used, so that the exchange could not end."""


class ExchangeTimeoutError(ExchangeFailedError):
    """The exchange took longer than ``allreduce_timeout``."""


def are_finite(tensors: Iterable[Tensor]) -> bool:
    """Whether all numbers in all of them are finite."""
    return all(bool(tensor.isfinite().all()) for tensor in tensors)


class ValidatingContainer(TensorPartContainer):
    """Takes averaged parts from reducers; what cannot be right, or comes of the ``shunned``, is replaced by our own."""

    shunned: Collection[int] = ()  # by their index in the group

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.invalid_senders: set[int] = set()
        self.on_part: Callable[[int], None] = lambda peer_index: None  # called with the index of whoever has sent one

    def register_processed_part(self, peer_index: int, part_index: int, part: Tensor) -> None:
        if peer_index in self.shunned:
            usable = self._refused(peer_index, part_index)
        else:
            usable = self._validated(peer_index, part_index, part)
        super().register_processed_part(peer_index, part_index, usable)
        self.on_part(peer_index)

    def _refused(self, peer_index: int, part_index: int) -> Tensor:
        """What takes the place of a part that is not used: no difference from our own."""
        self.invalid_senders.add(peer_index)
        return torch.zeros_like(self._input_parts_by_peer[peer_index][part_index][0])

    def _validated(self, peer_index: int, part_index: int, part: Tensor) -> Tensor:
        """The part that a reducer has sent, or what takes its place."""
        mine = self._input_parts_by_peer[peer_index][part_index][0]
        return part if is_plausible(part, root_mean_square(mine)) else self._refused(peer_index, part_index)


class RobustContainer(ValidatingContainer):
    """Takes averaged parts from reducers, each of which may change ours only so far as its aggregator allows."""

    def __init__(
        self, *args: Any, aggregator: Aggregator, peers: Sequence[PeerID], own: PeerID, bounds_answers: bool, **kw: Any
    ) -> None:
        super().__init__(*args, **kw)
        self._aggregator, self._peers, self._bounds_answers = aggregator, peers, bounds_answers
        self._own_index = peers.index(own)
        self._firsts = [0, *accumulate(self.num_parts_by_peer)]
        pairs = zip(aggregator.movements, self.num_parts_by_tensor, strict=True)
        self._movements = [movement for movement, parts in pairs for _ in range(parts)]

    def movements_of(self, peer_index: int) -> list[float]:
        """How far each of our parts has moved that this peer reduces."""
        return self._movements[slice(*self._firsts[peer_index : peer_index + 2])]

    def _validated(self, peer_index: int, part_index: int, part: Tensor) -> Tensor:
        mine = self._input_parts_by_peer[peer_index][part_index][0]
        if part.shape != mine.shape or not are_finite([part]):
            return self._refused(peer_index, part_index)
        if not self._bounds_answers:
            return part
        movement = self._movements[self._firsts[peer_index] + part_index]
        bounded = self._aggregator.answers.bounded(peer_index, mine, part, movement)
        return part if peer_index == self._own_index else bounded

    def end(self) -> None:
        """All that was to come is there; learn from it."""
        own = self._own_index if self.num_parts_by_peer[self._own_index] else None
        self.invalid_senders |= self._aggregator.answers.end(own, self._peers)


class ValidatingRunner(AllReduceRunner):
    """One exchange of tensors with a group; it remembers whom it has lost, and who sent invalid data.

    Whoever has not begun to send within ``latecomer_timeout`` seconds is left out; hivemind gives it only
    ``sender_timeout``, as it does between two parts. What the ``shunned`` send is not used; a leader who does not know
    of that may have put them into the group. See `AnswerDeadlines` for the ``doubted``.
    """

    tensor_part_container: ValidatingContainer
    tensor_part_reducer: ValidatingReducer
    patience = 1.0  # with a reducer once half of them have answered, in times that a part may take
    _shunned: frozenset[PeerID] = frozenset()

    def __init__(
        self,
        *,
        latecomer_timeout: float,
        shunned: Collection[PeerID] = (),
        doubted: MutableMapping[PeerID, None],
        tensors: Sequence[Tensor],
        peer_fractions: Sequence[float],
        compression: CompressionBase,
        part_size_bytes: int,
        tensor_infos: Sequence[CompressionInfo] | None = None,
        **kwargs: Any,
    ) -> None:
        options = {"compression": compression, "part_size_bytes": part_size_bytes, "tensor_infos": tensor_infos}
        super().__init__(tensors=tensors, peer_fractions=peer_fractions, **options, **kwargs)
        # hivemind's constructor makes both of its own kinds, and has no parameter for others; nothing is sent yet
        self.tensor_part_reducer.finished.set()  # or it would warn, once it is discarded, that it has received nothing
        container = self._make_container(tensors, peer_fractions, return_deltas=True, **options)
        self.tensor_part_container = container
        own_index = self.ordered_peer_ids.index(self.peer_id)
        self.parts_for_local_averaging = container.get_raw_input_parts(own_index)
        self.tensor_part_reducer = self._make_reducer(self.parts_for_local_averaging, len(self.sender_peer_ids))
        container.shunned = [index for index, peer in enumerate(self.ordered_peer_ids) if peer in shunned]
        self.tensor_part_reducer.shunned = [n for n, peer in enumerate(self.sender_peer_ids) if peer in shunned]
        self._shunned = frozenset(shunned)
        self._lost = set[PeerID]()
        reducers = sum(parts > 0 for parts in container.num_parts_by_peer)
        self._deadlines = AnswerDeadlines(reducers, self.patience * self.sender_timeout, doubted)
        self._latecomer_timeout = latecomer_timeout
        container.on_part = lambda index: self._deadlines.part_came(self.ordered_peer_ids[index])

    def _make_container(self, *args: Any, **options: Any) -> ValidatingContainer:
        """What cuts our tensors into parts, and puts the averages together."""
        return ValidatingContainer(*args, **options)

    def _make_reducer(self, mine: Sequence[Tensor], senders: int) -> ValidatingReducer:
        """What averages the parts of which we are the reducer; ``mine`` are our own."""
        return ValidatingReducer(mine, senders)

    async def rpc_aggregate_part(
        self, stream: AsyncIterator[averaging_pb2.AveragingData], context: P2PContext
    ) -> AsyncIterator[averaging_pb2.AveragingData]:
        """Answer the parts of a sender of the group; a second stream of the same one would count as another's (H83)."""
        if context.remote_id in self.active_senders:
            log.warning("%s sends its parts once more, and is not heard", context.remote_id)
            yield averaging_pb2.AveragingData(code=averaging_pb2.PROTOCOL_VIOLATION)
            return
        async for message in super().rpc_aggregate_part(stream, context):
            yield message

    async def _handle_missing_senders(self) -> None:
        more = max(0.0, self._latecomer_timeout - self.sender_timeout)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(more):
                await self.all_senders_started.wait()
        await super()._handle_missing_senders()

    async def _ban_sender(self, peer_id: PeerID) -> None:
        await super()._ban_sender(peer_id)
        self._deadlines.sender_failed(peer_id)

    async def _communicate_with_peer(self, peer_id: PeerID) -> None:
        is_own = peer_id == self.peer_id
        try:
            async with self._deadlines.of_own() if is_own else self._deadlines.of(peer_id):
                await self._exchange_parts(peer_id)
        except Exception as error:
            log.info("%s is lost in the middle of a round: %r", peer_id, error)
            self._lost.add(peer_id)
            if is_own:  # hivemind would wait for our part, as would the others
                await self._ban_sender(peer_id)
                self.tensor_part_container.register_failed_reducer(self.ordered_peer_ids.index(peer_id))
            raise

    async def _exchange_parts(self, peer_id: PeerID) -> None:
        """Send that reducer our parts, and take its averages."""
        await super()._communicate_with_peer(peer_id)

    @property
    def has_lost_anybody(self) -> bool:
        """Whether a peer of the group was not there to the end, or sent what could not be used."""
        return bool(self.outcome({}).lost)

    def outcome(self, gathered: dict[PeerID, Any]) -> AllreduceOutcome:
        """The exchange's outcome; ``gathered`` is what each peer of the group has told it."""
        container = self.tensor_part_container
        invalid_senders = {self.ordered_peer_ids[index] for index in container.invalid_senders} - {self.peer_id}
        lost_reducers = (self._lost | invalid_senders) - {self.peer_id}
        lost = lost_reducers | self.banned_senders - {self.peer_id}
        outcome = AllreduceOutcome({peer: gathered[peer] for peer in gathered if peer not in lost}, everybody=gathered)
        outcome.lost = len(lost)
        outcome.has_missing_parts = bool(self._lost | invalid_senders)
        outcome.unreached = frozenset(self._deadlines.unreached)
        outcome.has_invalid_data = bool(invalid_senders - self._shunned or self.tensor_part_reducer.invalid_senders)
        senders = {self.sender_peer_ids[index] for index in self.tensor_part_reducer.outliers()}
        outcome.outliers = frozenset((senders | invalid_senders) - self._shunned - {self.peer_id})
        ratios = self.tensor_part_reducer.norm_ratios().items()
        outcome.norm_ratios = {self.sender_peer_ids[sender]: ratio for sender, ratio in ratios}
        return outcome

    def end(self) -> None:
        """Learn from the exchange, which is over, and its round with it."""


class RobustRunner(ValidatingRunner):
    """An exchange of gradients or of states whose aggregator trusts nobody.

    Plain hivemind peers take part in it: they get the difference between the aggregate and what they have sent.
    """

    tensor_part_container: RobustContainer

    def __init__(
        self, *, aggregator: Aggregator, bounds_answers: bool, tensors: Sequence[Tensor], **kwargs: Any
    ) -> None:
        self._aggregator, self._bounds_answers, self._tensors = aggregator, bounds_answers, tensors
        super().__init__(tensors=tensors, **kwargs)

    def _make_container(self, *args: Any, **options: Any) -> RobustContainer:
        own = self.sender_peer_ids.index(self.peer_id) if self.peer_id in self.sender_peer_ids else None
        self._aggregator.begin(self._tensors, self.sender_peer_ids, own, self.weight)
        return RobustContainer(
            *args,
            aggregator=self._aggregator,
            peers=self.ordered_peer_ids,
            own=self.peer_id,
            bounds_answers=self._bounds_answers,
            **options,
        )

    def _make_reducer(self, mine: Sequence[Tensor], senders: int) -> RobustReducer:
        movements = self.tensor_part_container.movements_of(self.ordered_peer_ids.index(self.peer_id))
        return RobustReducer(mine, senders, self._aggregator, movements)

    def end(self) -> None:
        """End the exchange as ValidatingRunner does, and learn from it."""
        if self._bounds_answers:
            self.tensor_part_container.end()
        self._aggregator.end(self._tensors)
