"""The all-reduce of weight changes: each reducer encodes its averages once, and sends everybody the same bytes.

WORKAROUND H46: hivemind's reducer sends each peer the difference between the average and what that peer had sent,
encoded for it alone. With a codec that loses anything, every peer then ends with other numbers. Here all peers, the
reducer included, go on with what the same bytes decode to, so that their weights stay equal to the last bit.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from hivemind.averaging.partition import BannedException
from hivemind.compression import deserialize_torch_tensor, serialize_torch_tensor
from hivemind.p2p import PeerID
from hivemind.proto import averaging_pb2
from hivemind.utils.asyncio import amap_in_executor
from torch import Tensor

from core.run.spec.collaboration import Aggregation
from core.worker.swarm.averaging.allreduce import ValidatingContainer, ValidatingReducer, ValidatingRunner
from core.worker.swarm.local_sgd.aggregation import aggregate
from core.worker.swarm.local_sgd.codecs import Codec


@dataclass(frozen=True)
class ReductionRule:
    """How a reducer makes one part of what its senders have sent."""

    codec: Codec
    aggregation: Aggregation
    weight_cap: float


class _Received:
    """What has been received of one part, in place of hivemind's running sum."""

    def __init__(self, rule: ReductionRule) -> None:
        self._rule = rule
        self._parts, self._weights = list[Tensor](), list[float]()

    def add_(self, part: Tensor, alpha: float) -> None:
        """Keep a sender's part and its weight."""
        self._parts.append(part)
        self._weights.append(alpha)

    def div_(self, _total_weight: float) -> Tensor:
        """The aggregate, encoded: hivemind divides its sum once all senders were heard."""
        whole = aggregate(self._parts, self._weights, self._rule.aggregation, self._rule.weight_cap)
        return self._rule.codec.encode(whole)


class DeltaContainer(ValidatingContainer):
    """Takes the encoded averages of all reducers, our own among them; what cannot be used counts as no change."""

    def __init__(self, *args: Any, codec: Codec, **options: Any) -> None:
        super().__init__(*args, **options)
        self._codec = codec

    def register_processed_part(self, peer_index: int, part_index: int, part: Tensor) -> None:
        """Decode the next part of that reducer; ``part`` is bytes, or zeros where the reducer was lost."""
        mine = self._input_parts_by_peer[peer_index][part_index][0]
        if part.dtype == torch.uint8:
            try:
                part = self._codec.decode(part, mine.numel())
            except ValueError:
                self.invalid_senders.add(peer_index)
                part = torch.zeros_like(mine)
        super().register_processed_part(peer_index, part_index, part)


class DeltaReducer(ValidatingReducer):
    """Aggregates parts by a rule; what a sender receives of it is the encoded aggregate."""

    def __init__(self, mine: Sequence[Tensor], senders: int, rule: ReductionRule) -> None:
        self._rule = rule
        super().__init__(mine, senders)

    def reset_accumulators(self) -> None:
        """Begin the next part, as TensorPartReducer does."""
        super().reset_accumulators()
        if not self.finished.is_set():
            self.accumulator = _Received(self._rule)

    async def accumulate_part(
        self, sender_index: int, part_index: int, tensor_part: Tensor, weight: float = 1.0
    ) -> Tensor:
        """Add a sender's part, encoded or as it is; the encoded aggregate, once everybody was heard."""
        shape = self.part_shapes[part_index]
        try:
            if tensor_part.dtype == torch.uint8:
                tensor_part = self._rule.codec.decode(tensor_part, shape.numel())
            elif tensor_part.shape != shape:
                raise ValueError(f"{tuple(tensor_part.shape)} in place of {tuple(shape)}")
        except ValueError as error:
            self.has_invalid_data = True
            raise BannedException(f"sender {sender_index}: {error}") from error
        return await super().accumulate_part(sender_index, part_index, tensor_part, weight)


class DeltaRunner(ValidatingRunner):
    """One exchange of weight changes with a group; it yields averages, not differences from our own."""

    def __init__(self, *, rule: ReductionRule, **kwargs: Any) -> None:
        self._rule = rule
        super().__init__(**kwargs)

    def _make_container(self, *args: Any, **options: Any) -> DeltaContainer:
        return DeltaContainer(*args, codec=self._rule.codec, **options)

    def _make_reducer(self, mine: Sequence[Tensor], senders: int) -> DeltaReducer:
        return DeltaReducer(mine, senders, self._rule)

    async def _exchange_parts(self, peer_id: PeerID) -> None:
        """As hivemind does; what we reduce ourselves comes to us as the bytes that everybody gets."""
        if peer_id != self.peer_id:
            await super()._exchange_parts(peer_id)
            return
        own, sender = self.ordered_peer_ids.index(peer_id), self.sender_peer_ids.index(peer_id)
        for index, part in enumerate(self.parts_for_local_averaging):
            encoded = await self.tensor_part_reducer.accumulate_part(sender, index, part, weight=self.weight)
            self.tensor_part_container.register_processed_part(own, index, encoded)

    async def _accumulate_parts_streaming(
        self, stream: AsyncIterator[averaging_pb2.AveragingData], sender_index: int
    ) -> AsyncIterator[averaging_pb2.AveragingData]:
        """Answer each part of a sender with the encoded average; hivemind answers with a difference of its own."""
        received = 0
        try:
            async for part, weight in amap_in_executor(
                lambda message: (deserialize_torch_tensor(message.tensor_part), message.weight),
                stream,
                max_prefetch=self.tensor_part_container.prefetch,
            ):
                try:
                    encoded = await self.tensor_part_reducer.accumulate_part(sender_index, received, part, weight)
                except BannedException:
                    break
                received += 1
                message = serialize_torch_tensor(encoded)
                yield averaging_pb2.AveragingData(code=averaging_pb2.AVERAGED_PART, tensor_part=message)
        finally:
            if received != self.tensor_part_reducer.num_parts:
                await self._ban_sender(self.sender_peer_ids[sender_index])
