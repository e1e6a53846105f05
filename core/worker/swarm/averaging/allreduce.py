"""An all-reduce that believes nobody: what cannot be right is left out, and who was lost is said.

hivemind replaces what a lost peer should have averaged by our own tensors, logs "received 50.0% results" and
calls the round a success. It also passes on whatever it is sent, numbers or not.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import time
from collections.abc import Iterable, Sequence
from typing import Any

import torch
from hivemind.averaging import DecentralizedAverager, allreduce, averager
from hivemind.averaging.allreduce import AllReduceRunner
from hivemind.averaging.group_info import GroupInfo
from hivemind.averaging.matchmaking import MatchmakingException
from hivemind.averaging.partition import BannedException, TensorPartContainer, TensorPartReducer
from hivemind.p2p import PeerID
from hivemind.utils.asyncio import enter_asynchronously
from torch import Tensor

from core.worker.swarm.averaging.timeouts import Patience

log = logging.getLogger(__name__)

ABSURD = 100.0  # times as large as our own numbers: no honest peer of one run is so far away


class NotFiniteError(Exception):
    """Our own tensors are no numbers, and nobody must get them. hivemind does not try again after this."""


class AllreduceOutcome(dict[PeerID, Any]):
    """Whom a round was averaged with, ourselves included.

    ``lost`` others of the group were not there to the end; ``has_invalid_data`` says that what one of them sent
    cannot be right.
    """

    lost: int = 0
    has_invalid_data: bool = False


def is_plausible(sent: Tensor, mine: Tensor) -> bool:
    """Whether numbers from somebody else may be used beside our own: finite, and not absurdly large."""
    count = max(1, sent.numel()) ** 0.5
    size, usual = float(sent.norm()) / count, float(mine.norm()) / count
    return bool(size <= ABSURD * (1.0 + usual))  # false for a NaN


def are_finite(tensors: Iterable[Tensor]) -> bool:
    """Whether all of them are numbers, infinity not among them."""
    return all(bool(tensor.isfinite().all()) for tensor in tensors)


class _Container(TensorPartContainer):
    """Takes averaged parts of others; what cannot be right is replaced by our own part."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.invalid_senders: set[int] = set()

    def register_processed_part(self, peer_index: int, part_index: int, part: Tensor) -> None:
        mine = self._input_parts_by_peer[peer_index][part_index][0]
        if not is_plausible(part, mine):
            self.invalid_senders.add(peer_index)
            part = torch.zeros_like(mine)  # a difference from our own
        super().register_processed_part(peer_index, part_index, part)


class _Reducer(TensorPartReducer):
    """Averages parts for everybody; whoever sends what cannot be right is left out, as one who is lost."""

    mine: Sequence[Tensor] = ()
    has_met_liars = False

    async def accumulate_part(
        self, sender_index: int, part_index: int, tensor_part: Tensor, weight: float = 1.0
    ) -> Tensor:
        is_weight = 0.0 <= weight < float("inf")
        if not is_weight or not is_plausible(tensor_part, self.mine[part_index]):
            self.has_met_liars = True
            raise BannedException(f"sender {sender_index} sent what cannot be right")
        averaged: Tensor = await super().accumulate_part(sender_index, part_index, tensor_part, weight)
        return averaged


class _Runner(AllReduceRunner):
    """Remembers whom the round has lost."""

    tensor_part_container: _Container
    tensor_part_reducer: _Reducer

    def __init__(self, latecomer_timeout: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.tensor_part_reducer.mine = self.parts_for_local_averaging
        self._lost: set[PeerID] = set()
        self._latecomer_timeout = latecomer_timeout

    async def _handle_missing_senders(self) -> None:
        """hivemind is as impatient with who does not begin as with who does not go on."""
        more = max(0.0, self._latecomer_timeout - self.sender_timeout)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.all_senders_started.wait(), more)
        await super()._handle_missing_senders()

    async def _communicate_with_peer(self, peer_id: PeerID) -> None:
        try:
            await super()._communicate_with_peer(peer_id)
        except Exception as error:
            log.info("%s is lost in the middle of a round: %r", peer_id, error)
            self._lost.add(peer_id)
            raise

    def outcome(self, gathered: dict[PeerID, Any]) -> AllreduceOutcome:
        """What has come of it, for everybody in the group whose data was gathered."""
        container = self.tensor_part_container
        invalid_senders = {self.ordered_peer_ids[index] for index in container.invalid_senders} - {self.peer_id}
        lost = (self._lost | invalid_senders | self.banned_senders) - {self.peer_id}
        outcome = AllreduceOutcome({peer: data for peer, data in gathered.items() if peer not in lost})
        outcome.lost, outcome.has_invalid_data = (
            len(lost),
            bool(invalid_senders or self.tensor_part_reducer.has_met_liars),
        )
        return outcome


averager.AllReduceRunner = _Runner
allreduce.TensorPartContainer = _Container
allreduce.TensorPartReducer = _Reducer


class ValidatingAverager(DecentralizedAverager):
    """Says whom a round was really averaged with, and never gives others what is no number."""

    @functools.cached_property
    def patience(self) -> Patience:
        """With groupmates; in the averager's process."""
        wishes = self.allreduce_kwargs
        return Patience(self.total_size, wishes["part_size_bytes"], wishes["sender_timeout"])

    async def _aggregate_with_group(self, group_info: GroupInfo, **kwargs: Any) -> AllreduceOutcome:
        """In the averager's process. Raises NotFiniteError."""
        async with enter_asynchronously(self.get_tensors()) as tensors:
            if not await asyncio.get_running_loop().run_in_executor(None, are_finite, tensors):
                raise NotFiniteError
        began, is_whole = time.monotonic(), False
        try:
            gathered = await super()._aggregate_with_group(group_info, **kwargs | self._timeouts(group_info))
            counts = self._exchange_that_counts(group_info.group_id)
            runner: _Runner = self._running_groups[counts].result()
            outcome = runner.outcome(gathered)
            is_whole = not outcome.lost
            return outcome
        except MatchmakingException as error:
            if isinstance(error.__context__, asyncio.CancelledError):
                raise MatchmakingException("the exchange timed out") from error
            raise
        finally:
            self.patience.note(time.monotonic() - began, is_whole)

    def _exchange_that_counts(self, group_id: bytes) -> bytes:
        """Of several exchanges of a round, that whose losses are the round's."""
        return group_id

    def _timeouts(self, group_info: GroupInfo) -> dict[str, float]:
        silence = self.patience.silence_seconds(len(group_info.peer_ids))
        latecomers = max(silence, self.patience.latecomer_seconds)
        # whoever waits for a result waits for everybody else's part of it
        return {
            "sender_timeout": silence,
            "latecomer_timeout": latecomers,
            "reducer_timeout": silence + latecomers,
        }
