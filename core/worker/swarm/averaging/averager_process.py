"""The half of an averager that runs in its own process: exchanges of tensors, and downloads of a state.

hivemind's averager is one object in two processes. ``start()``, which its constructor calls, forks; from then on the
worker's process and the averager's process have a copy of every attribute each, and what one of them sets the other
never sees. The two talk over a pipe (`_outer_pipe` in the worker's process, whose commands are the names of coroutines
of this class), through `MPFuture`, and through tensors in shared memory. So:

- `AveragerProcess`, here, is what runs in the averager's process, and nothing else. Whatever it needs is passed to its
  constructor, and so is there before the fork.
- ``averagers.py`` is what runs in the worker's process. It reads no attribute that changes here, and changes none that
  is read here.
"""

from __future__ import annotations

import asyncio
import dataclasses
import functools
import logging
import time
from collections.abc import Container, Hashable, Iterable, Sequence
from typing import Any, AsyncIterator  # noqa: UP035 - hivemind reads this very annotation

import torch
from hivemind.averaging.allreduce import AveragingMode
from hivemind.averaging.group_info import GroupInfo
from hivemind.averaging.matchmaking import MatchmakingException
from hivemind.p2p import P2PContext, PeerID
from hivemind.proto import averaging_pb2
from hivemind.utils.asyncio import achain, as_aiter, azip, enter_asynchronously
from torch import Tensor

from core.worker.compute.process_memory import release_memory, return_large_buffers_at_once
from core.worker.swarm.aggregation.aggregators import Aggregator
from core.worker.swarm.aggregation.bandwidths import bounded_bandwidths
from core.worker.swarm.aggregation.claimed_weights import ReportedSamples
from core.worker.swarm.aggregation.member_metadata import MemberMetadata
from core.worker.swarm.aggregation.outcome import AllreduceOutcome
from core.worker.swarm.aggregation.recent_peers import RecentPeers
from core.worker.swarm.aggregation.sybil_resistance import subnet_of
from core.worker.swarm.aggregation.unreached_reducers import without_unreached_reducers
from core.worker.swarm.averaging.allreduce import (
    ExchangeFailedError,
    ExchangeTimeoutError,
    NotFiniteError,
    RobustRunner,
    ValidatingRunner,
    are_finite,
)
from core.worker.swarm.averaging.state_fetch import StateFetcher
from core.worker.swarm.averaging.timeouts import AllreduceTimeouts, SharedSeconds
from core.worker.swarm.patches.shunned_peers import BarredPeers
from core.worker.swarm.patches.unread_requests import answer_and_drain
from core.worker.swarm.progress.looks import HoldersDHT

POLL_SECONDS = 0.1

log = logging.getLogger(__name__)


class AveragerProcess(StateFetcher):
    """An averager whose exchanges trust nobody, and which downloads a state from one chosen peer.

    ``last_exchange`` is shared by all averagers of this peer; see `AllreduceTimeouts`. The ``aggregator`` says what is
    made of that which others send, and ``organiser`` is the peer id of the run's, which averages whatever others say.
    """

    def __init__(
        self,
        *args: Any,
        last_exchange: SharedSeconds[float],
        aggregator: Aggregator,
        organiser: str = "",
        **kwargs: Any,
    ) -> None:
        self._last_exchange, self._aggregator, self._organiser = last_exchange, aggregator, organiser
        self._doubted = RecentPeers[PeerID, None]()  # reducers that were silent in the exchange before
        super().__init__(*args, **kwargs)

    def run(self) -> None:
        """Live as hivemind's averager does, without the tensors of the worker that nothing here needs.

        It computes with one thread. hivemind's has as many as the trainer, and each operation of OpenMP ends once all
        of them have had a turn, which takes longer than the operation where the trainer's compute on the same cores.

        WORKAROUND H47: of every page that the worker changes, hivemind's keeps what it was at the fork.
        """
        self.dht = HoldersDHT(self.dht)
        torch.set_num_threads(1)  # of each thread that is born from now on
        return_large_buffers_at_once()
        release_memory(self._tensors_of_the_worker())
        super().run()

    def _tensors_of_the_worker(self) -> Iterable[Tensor]:
        """The model's weights and the like, which only the worker's process uses; what is averaged is never there."""
        return ()

    @functools.cached_property
    def _timeouts(self) -> AllreduceTimeouts:
        """What was learnt about timeouts from the exchanges so far, all of which happen in this process."""
        options = self.allreduce_kwargs
        return AllreduceTimeouts(
            self.total_size, options["part_size_bytes"], options["sender_timeout"], self._last_exchange
        )

    async def _aggregate_with_group(self, group_info: GroupInfo, **kwargs: Any) -> AllreduceOutcome:
        """Exchange tensors with a group; say whom it was really averaged with.

        Raises NotFiniteError before anything is sent, ExchangeTimeoutError and ExchangeFailedError.
        """
        async with enter_asynchronously(self.get_tensors()) as tensors:
            if not await asyncio.get_running_loop().run_in_executor(None, self._may_be_sent, tensors):
                raise NotFiniteError
        self._aggregator.shares.know_subnets(await self._subnets())
        started, is_whole = time.monotonic(), False
        try:
            group_info = dataclasses.replace(group_info, gathered=self._usable_bandwidths(group_info))
            gathered = await super()._aggregate_with_group(group_info, **kwargs)
            outcome = self._runner(self._decisive_exchange(group_info.group_id)).outcome(gathered)
            is_whole = not outcome.lost
            return outcome
        except MatchmakingException as error:  # hivemind makes one of whatever goes wrong in an exchange
            is_timeout = isinstance(error.__context__, asyncio.CancelledError)
            raise (ExchangeTimeoutError if is_timeout else ExchangeFailedError)(str(error)) from error
        finally:
            self._timeouts.record(time.monotonic() - started, is_whole)

    def _usable_bandwidths(self, group: GroupInfo) -> tuple[bytes, ...]:
        """What the group has told, with the bandwidths by which its members share the work; all decide alike.

        A reducer that another member cannot reach averages nothing, and joins others' groups next time.
        """
        bounded = bounded_bandwidths([MemberMetadata.unpacked(each) for each in group.gathered])
        usable, left_out = without_unreached_reducers(group.peer_ids, bounded, self._organiser)
        if left_out:
            log.info("not all of the group can reach %s, which average nothing", [*map(str, left_out)])
        self._matchmaking.follows_only = self.peer_id in left_out
        return tuple(each.packed() for each in usable)

    async def _subnets(self) -> dict[PeerID, str]:
        """From which subnet each peer is connected with us; nothing of those in our own network, or behind a relay."""
        try:
            connected = await self._p2p.list_peers()
        except Exception as error:  # p2pd is about to end, for example
            log.info("the connections are not known: %r", error)
            return {}
        subnets = {each.peer_id: map(subnet_of, map(str, each.addrs)) for each in connected}
        found = {peer: next(filter(None, of_peer), None) for peer, of_peer in subnets.items()}
        return {peer: subnet for peer, subnet in found.items() if subnet is not None}

    def _may_be_sent(self, tensors: Sequence[Tensor]) -> bool:
        """Whether others may get our tensors: all numbers are finite."""
        return are_finite(tensors)

    def _decisive_exchange(self, group_id: bytes) -> bytes:
        """The id of the exchange that says whom the round has lost, where a round has several."""
        return group_id

    def _runner(self, group_id: bytes) -> ValidatingRunner:
        """The runner of an exchange that has begun."""
        runner: ValidatingRunner = self._running_groups[group_id].result()
        return runner

    async def _run_allreduce_inplace_(
        self, tensors: Sequence[Tensor], group_info: GroupInfo, group_id: bytes | None = None, **kwargs: Any
    ) -> None:
        """Average the tensors in place with a group.

        WORKAROUND H12: this is a copy of hivemind's body, which has no parameter for the runner's class, and which
        offers the new state in the DHT after every single tensor. Here it is offered once, when all are averaged.
        """
        group_id = group_info.group_id if group_id is None else group_id
        runner = self._make_runner(
            p2p=self._p2p,
            servicer_type=type(self),
            prefix=self.prefix,
            tensors=tensors,
            group_id=group_id,
            ordered_peer_ids=group_info.peer_ids,
            shunned=self._matchmaking.shunned.among(group_info.peer_ids),
            doubted=self._doubted,
            **kwargs | self._timeouts.of_exchange(len(group_info.peer_ids)),
        )
        self._running_groups[group_id].set_result(runner)
        if runner.modes[group_info.peer_ids.index(self.peer_id)] == AveragingMode.AUX:
            async for _ in runner:
                raise ValueError("auxiliary peers receive no averaged tensors")
            return
        async for tensor, update in azip(as_aiter(*tensors), runner):
            self._apply_update(tensor, update)
        if group_id == self._decisive_exchange(group_info.group_id):
            runner.end()
        self._state_updated.set()

    def _make_runner(self, **kwargs: Any) -> ValidatingRunner:
        """The runner of an exchange, with hivemind's options."""
        bounds_answers = self._bounds_answers(kwargs["group_id"])
        return RobustRunner(aggregator=self._aggregator, bounds_answers=bounds_answers, **kwargs)

    def _bounds_answers(self, group_id: bytes) -> bool:
        """Whether what reducers return in that exchange may change ours only so far as is usual."""
        return True

    def _apply_update(self, tensor: Tensor, update: Tensor) -> None:
        """Put into that tensor of ours what the runner has yielded for it: the difference from the average."""
        tensor.add_(update, alpha=self._averaging_alpha)

    async def rpc_aggregate_part(
        self, stream: AsyncIterator[averaging_pb2.AveragingData], context: P2PContext
    ) -> AsyncIterator[averaging_pb2.AveragingData]:
        """Average the parts that a groupmate sends; one that is left out hears so at once."""
        refusal = averaging_pb2.AveragingData(code=averaging_pb2.CANCELLED)
        async for message in answer_and_drain(stream, lambda parts: self._averages(parts, context), refusal):
            yield message

    async def _averages(
        self, stream: AsyncIterator[averaging_pb2.AveragingData], context: P2PContext
    ) -> AsyncIterator[averaging_pb2.AveragingData]:
        """The averages of the parts that a groupmate sends, also of one that is ready before we are.

        WORKAROUND H13: hivemind waits for the next event of any round, and answers "bad group" if that was
        another one. A groupmate in client mode then stands still until its all-reduce times out.
        """
        first = await anext(stream)
        for _ in range(int(self._timeouts.latecomer_seconds / POLL_SECONDS)):
            if first.group_id in self._running_groups:
                break
            await asyncio.sleep(POLL_SECONDS)
        async for message in super().rpc_aggregate_part(achain(as_aiter(first), stream), context):
            yield message

    async def _shutdown(self, timeout: float | None) -> None:
        """Answer no more requests, and end the exchanges that are under way.

        WORKAROUND H66: hivemind asks not the exchanges but the futures of them to end, which ends this thread with an
        exception.
        """
        if not self.client_mode:
            await self.remove_p2p_handlers(self._p2p, namespace=self.prefix)
        for begun in self._running_groups.values():
            if begun.done() and not begun.cancelled() and begun.exception() is None:
                begun.result().finalize(cancel=True)

    async def _know_samples(self, reported: ReportedSamples) -> None:
        """Learn how many samples of this epoch each peer has told the swarm of."""
        self._aggregator.know_samples(reported)

    async def _end_stale_round(self, epoch: int) -> None:
        """Half of the swarm has begun that epoch: end a round of an earlier one that still looks for a group."""
        self._matchmaking.end_round_before(epoch)

    async def _know_others(self, others: frozenset[PeerID]) -> None:
        """These take part in the run by their reports, which are believed."""
        self._matchmaking.known = others

    async def _know_barred(self, barred: Container[Hashable]) -> None:
        """Form no group with these peers, use nothing that they send, and send them no state, from now on."""
        assert isinstance(barred, BarredPeers)
        self._matchmaking.shunned.barred = barred
        await super()._know_barred(barred)

    def _distrust(self, peers: Iterable[PeerID]) -> None:
        """Form no group with these peers for an hour, and use nothing that they send: they have lied to us."""
        self._matchmaking.shunned.distrust(peers)
