"""The all-reduce of weight changes: each reducer encodes its averages once, and sends everybody the same bytes.

WORKAROUND H46: hivemind's reducer sends each peer the difference between the average and what that peer had sent,
encoded for it alone. With a codec that loses anything, every peer then ends with other numbers. Here all peers, the
reducer included, go on with what the same bytes decode to, so that their weights stay equal to the last bit.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Sequence
from itertools import accumulate
from typing import Any

import torch
from hivemind.averaging.allreduce import AveragingMode
from hivemind.averaging.partition import AllreduceException, BannedException
from hivemind.compression import deserialize_torch_tensor
from hivemind.p2p import PeerID
from hivemind.proto import averaging_pb2
from hivemind.utils.asyncio import amap_in_executor
from torch import Tensor

from core.worker.swarm.aggregation.aggregators import Aggregator
from core.worker.swarm.aggregation.leave_one_out import Direction
from core.worker.swarm.aggregation.outcome import AllreduceOutcome
from core.worker.swarm.averaging.allreduce import ValidatingContainer, ValidatingRunner
from core.worker.swarm.local_sgd.answer_checks import CountedShares, ListeningStub, ReducerAnswers, answer
from core.worker.swarm.local_sgd.audit.exchange import Exchange
from core.worker.swarm.local_sgd.codecs.codec import Codec
from core.worker.swarm.local_sgd.codecs.encoded_tensors import EncodedTensors
from core.worker.swarm.local_sgd.reduction import DeltaReducer, ReductionRule, SizeLimit
from core.worker.swarm.trust.part_checks import is_plausible

PARTS_AHEAD = 4  # that are read of a sender while the answers to those before are on their way

log = logging.getLogger(__name__)


class DeltaContainer(ValidatingContainer):
    """Sends our encoded changes, and takes the encoded averages of all reducers, our own among them.

    ``tensors`` have the shapes of what is exchanged, and no memory of their own; ``sent`` are the changes, and
    ``averages`` takes the averages. A part that cannot be used has no encoding there. ``answers`` compares the two.
    """

    def __init__(
        self,
        tensors: Sequence[Tensor],
        *args: Any,
        codec: Codec,
        sent: EncodedTensors,
        averages: EncodedTensors,
        **kw: Any,
    ) -> None:
        super().__init__(tensors, *args, **kw)
        self._codec, self._sent, self._averages, self.answers = codec, sent, averages, ReducerAnswers()
        self._firsts: list[int] = [0, *accumulate(self.num_parts_by_peer)]
        for parts, first in zip(self._input_parts_by_peer, self._firsts, strict=False):
            for number, (_shape, info) in enumerate(list(parts)):
                parts[number] = sent.part(first + number), info
        averages.clear()

    def first_of(self, peer_index: int) -> int:
        """The number of the first part that this peer reduces."""
        return self._firsts[peer_index]

    def lengths_of(self, peer_index: int) -> list[int]:
        """How many numbers each of the parts has that this peer reduces."""
        first, end = self._firsts[peer_index : peer_index + 2]
        return self._sent.lengths()[first:end]

    def sizes_of(self, peer_index: int) -> list[float]:
        """The root mean squares of our own numbers in those parts."""
        return [self._sent.size(number) for number in range(*self._firsts[peer_index : peer_index + 2])]

    def _validated(self, peer_index: int, part_index: int, part: Tensor) -> Tensor:
        """Keep the next average of that reducer, if it is one; nothing else of it stays in memory."""
        number = self._firsts[peer_index] + part_index
        try:
            decoded = self._codec.decode(part, self._sent.lengths()[number])
            if not is_plausible(decoded, 1.0 + self._sent.size(number)):
                raise ValueError("an average is far larger than what we have sent")
            self._averages.put(number, part)
            self.answers.add(peer_index, self._sent.decoded_part(number), decoded)
        except ValueError as error:
            log.info("an average of %s cannot be used: %s", peer_index, error)
            return self._refused(peer_index, part_index)
        return torch.empty(0)

    def _refused(self, peer_index: int, _part_index: int) -> Tensor:
        """As for an average that is there, of which no encoding is kept."""
        self.invalid_senders.add(peer_index)
        return torch.empty(0)

    def register_failed_reducer(self, peer_index: int) -> None:
        """No more averages come of that reducer; hivemind's would take our own parts for them."""
        for part_index in range(self._outputs_registered_by_peer[peer_index], self.num_parts_by_peer[peer_index]):
            super(ValidatingContainer, self).register_processed_part(peer_index, part_index, torch.empty(0))

    async def iterate_output_tensors(self) -> AsyncIterator[Tensor]:
        """An empty tensor for each of ours, once all averages of it are there; hivemind's would put them together."""
        registered = [peer for peer, parts in enumerate(self.num_parts_by_peer) for _ in range(parts)]
        for parts in self.num_parts_by_tensor:
            of_tensor, registered = registered[:parts], registered[parts:]
            for peer in of_tensor:
                while not self._output_parts_by_peer[peer]:
                    self._output_part_available[peer].clear()
                    await self._output_part_available[peer].wait()
                    if self.finished.is_set():
                        raise AllreduceException("the exchange was ended")
                self._output_parts_by_peer[peer].popleft()
            yield torch.empty(0)


class DeltaRunner(ValidatingRunner):
    """One exchange of weight changes with a group; it yields averages, not differences from our own.

    WORKAROUND H51: hivemind sends a client its averages only once all of its parts have come, and keeps them in memory
    until then; of any sender it reads no part while an answer is on its way. Each line is used in one direction at a
    time, so an exchange takes twice as long.
    """

    patience = 2.0  # because training may go on meanwhile, and who lacks a part has to catch up
    tensor_part_container: DeltaContainer
    tensor_part_reducer: DeltaReducer

    def __init__(
        self,
        *,
        rule: ReductionRule,
        limit: SizeLimit,
        aggregator: Aggregator,
        sent: EncodedTensors,
        averages: EncodedTensors,
        **kwargs: Any,
    ) -> None:
        self._rule, self._limit, self._sent, self._averages = rule, limit, sent, averages
        self._aggregator, self._counted = aggregator, CountedShares()
        super().__init__(**kwargs)

    def _make_container(self, *args: Any, **options: Any) -> DeltaContainer:
        return DeltaContainer(*args, codec=self._rule.codec, sent=self._sent, averages=self._averages, **options)

    def _make_reducer(self, mine: Sequence[Tensor], senders: int) -> DeltaReducer:
        container, index = self.tensor_part_container, self.ordered_peer_ids.index(self.peer_id)
        own = self.sender_peer_ids.index(self.peer_id) if self.peer_id in self.sender_peer_ids else None
        lengths, sizes = container.lengths_of(index), container.sizes_of(index)
        claims = self._aggregator.claims(self.sender_peer_ids, own)
        return DeltaReducer(lengths, sizes, senders, self._rule, self._limit, own, claims)

    async def _exchange_parts(self, peer_id: PeerID) -> None:
        """As hivemind does; what we reduce ourselves comes to us as the bytes that everybody gets."""
        if peer_id != self.peer_id:
            await super()._exchange_parts(peer_id)
            return
        own, sender = self.ordered_peer_ids.index(peer_id), self.sender_peer_ids.index(peer_id)
        for index, part in enumerate(self.parts_for_local_averaging):
            encoded = await self.tensor_part_reducer.accumulate_part(sender, index, part, weight=self.weight)
            self._counted.add(self.tensor_part_reducer.counted(index, sender), len(part))
            self.tensor_part_container.register_processed_part(own, index, encoded)

    def _get_peer_stub(self, peer: PeerID) -> Any:
        lengths = self.tensor_part_container.lengths_of(self.ordered_peer_ids.index(peer))
        return ListeningStub(super()._get_peer_stub(peer), lengths, self._counted)

    def outcome(self, gathered: dict[PeerID, Any]) -> AllreduceOutcome:
        """As ValidatingRunner, and how far what we have changed counts, if it has any weight."""
        outcome = super().outcome(gathered)
        outcome.counted_share = self._counted.median() if self.weight > 0 else 1.0
        return outcome

    def end(self) -> None:
        """End the exchange as ValidatingRunner does; who has returned averages that cannot be true is refused."""
        container = self.tensor_part_container
        if self.weight > 0:
            container.invalid_senders |= container.answers.liars(self.ordered_peer_ids.index(self.peer_id))

    def directions(self) -> dict[PeerID, Direction]:
        """Where that points which each sender has sent us to reduce."""
        directions = self.tensor_part_reducer.leave_one_out.directions().items()
        return {self.sender_peer_ids[sender]: direction for sender, direction in directions}

    def audited(self, generation: int) -> Exchange:
        """The exchange as it is audited, once all averages are there."""
        container, own = self.tensor_part_container, self.ordered_peer_ids.index(self.peer_id)
        modes = zip(self.ordered_peer_ids, self.modes, strict=True)
        of_peers = zip(self.ordered_peer_ids, container.num_parts_by_peer, strict=True)
        return Exchange(
            group=self.group_id,
            senders=tuple(self.sender_peer_ids),
            weight=self.weight,
            generation=generation,
            reducer_of=[peer for peer, parts in of_peers for _ in range(parts)],
            auditors=frozenset(peer for peer, mode in modes if mode == AveragingMode.NODE),
            accounts=dict(enumerate(self.tensor_part_reducer.accounts(), container.first_of(own))),
        )

    @property
    def refused_reducers(self) -> frozenset[PeerID]:
        """Those whose averages could not be used."""
        return frozenset(self.ordered_peer_ids[index] for index in self.tensor_part_container.invalid_senders)

    def should_delay_results(self, peer_id: PeerID) -> bool:
        """Whether that peer gets its averages only after its last part: nobody does."""
        return False

    async def _accumulate_parts_streaming(
        self, stream: AsyncIterator[averaging_pb2.AveragingData], sender_index: int
    ) -> AsyncIterator[averaging_pb2.AveragingData]:
        """Answer each part of a sender with the encoded average; hivemind answers with a difference of its own."""
        averages = self._encoded_averages(stream, sender_index)
        async for message in amap_in_executor(answer, averages, max_prefetch=PARTS_AHEAD):
            yield message
        if sender_index in self.tensor_part_reducer.invalid_senders:
            yield averaging_pb2.AveragingData(code=averaging_pb2.PROTOCOL_VIOLATION)

    async def _encoded_averages(
        self, stream: AsyncIterator[averaging_pb2.AveragingData], sender_index: int
    ) -> AsyncIterator[tuple[Tensor, float]]:
        """The encoded average of each part of this sender, and how far that counts; who sends too few is banned."""
        received = 0
        try:
            async for part, weight in amap_in_executor(
                lambda message: (deserialize_torch_tensor(message.tensor_part), message.weight),
                stream,
                max_prefetch=PARTS_AHEAD,
            ):
                try:
                    encoded = await self.tensor_part_reducer.accumulate_part(sender_index, received, part, weight)
                except BannedException:
                    break
                counted = self.tensor_part_reducer.counted(received, sender_index)
                received += 1
                yield encoded, counted
        finally:
            if received != self.tensor_part_reducer.num_parts:
                await self._ban_sender(self.sender_peer_ids[sender_index])
