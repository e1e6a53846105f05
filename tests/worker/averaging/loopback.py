"""Averagers on loopback as they are before their processes are forked: real exchanges, of groups that a test makes."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from types import SimpleNamespace
from typing import Any

from hivemind.averaging.averager import DecentralizedAverager
from hivemind.averaging.group_info import GroupInfo
from hivemind.compression import CompressionInfo, NoCompression, serialize_torch_tensor
from hivemind.p2p import P2P, PeerID
from hivemind.proto.averaging_pb2 import PART_FOR_AVERAGING, AveragingData
from torch import Tensor

from core.worker.swarm.aggregation.aggregators import AggregationRule, GradientAggregator
from core.worker.swarm.aggregation.outcome import AllreduceOutcome
from core.worker.swarm.aggregation.recent_peers import RecentPeers
from core.worker.swarm.averaging.averager_process import AveragerProcess
from core.worker.swarm.averaging.timeouts import shared_seconds
from core.worker.swarm.patches.shunned_peers import ShunnedPeers

GROUP, PREFIX = b"group", "averager"
LIMIT_SECONDS = 60.0
PLAIN_MEAN = AggregationRule("mean")


class Unforked(AveragerProcess):
    """What an exchange needs of an averager; no process, no DHT and no search for a group.

    A part is waited for as long as ``part_seconds``, and who has not begun to send for ``latecomer_seconds``.
    """

    _parent_pid = 0

    def __init__(
        self,
        p2p: P2P,
        rule: AggregationRule = PLAIN_MEAN,
        part_seconds: float = 30.0,
        latecomer_seconds: float = 30.0,
    ) -> None:
        self._p2p, self.dht, self.prefix = p2p, SimpleNamespace(peer_id=p2p.peer_id), PREFIX
        self._aggregator = GradientAggregator(rule)
        self._running_groups: dict[bytes, asyncio.Future[Any]] = {}
        self._pending_groups_registered = asyncio.Event()
        self._state_updated, self._averaging_alpha, self._doubted = asyncio.Event(), 1.0, RecentPeers()
        self._matchmaking = SimpleNamespace(shunned=ShunnedPeers())
        self._last_exchange, self.total_size = shared_seconds(), 2**20
        self._last_exchange.value = latecomer_seconds
        self.allreduce_kwargs = {
            "compression": NoCompression(),
            "part_size_bytes": 2**16,
            "sender_timeout": part_seconds,
            "reducer_timeout": 2 * part_seconds,
        }

    async def exchange(
        self, peers: Sequence[PeerID], fractions: Sequence[float], tensors: Sequence[Tensor], weight: float = 1.0
    ) -> AllreduceOutcome:
        """Average the tensors in place with these peers, of which each reduces that fraction."""
        group = GroupInfo(GROUP, tuple(peers), tuple(b"" for _ in peers))
        infos = [CompressionInfo.from_tensor(each, key=number) for number, each in enumerate(tensors)]
        options = self.allreduce_kwargs | {"peer_fractions": tuple(fractions), "tensor_infos": infos, "weight": weight}
        with self._register_allreduce_group(group):
            await self._run_allreduce_inplace_(tensors, group, **options)
            return self._runner(self._decisive_exchange(GROUP)).outcome({})

    async def answer_to(self, part: Tensor, reducer: PeerID) -> AveragingData:
        """What that reducer answers first to a stream with this part alone; who is cancelled meanwhile hangs up."""

        async def parts() -> AsyncIterator[AveragingData]:
            encoded = serialize_torch_tensor(part)
            yield AveragingData(code=PART_FOR_AVERAGING, group_id=GROUP, tensor_part=encoded, weight=1.0)

        stub = type(self).get_stub(self._p2p, reducer, namespace=PREFIX)
        async with contextlib.aclosing(await stub.rpc_aggregate_part(parts())) as answers:
            first: AveragingData = await anext(answers)
        return first


async def once(is_so: Callable[[], bool]) -> None:
    """Wait until something is so."""
    while not is_so():
        await asyncio.sleep(0.01)


async def under_way(averager: Unforked) -> None:
    """Wait until its exchange has begun."""
    await once(lambda: GROUP in averager._running_groups and averager._running_groups[GROUP].done())


@contextlib.asynccontextmanager
async def averagers(count: int, kind: type[Unforked] = Unforked, **options: Any) -> AsyncIterator[list[Any]]:
    """So many of them, all of which know each other."""
    made = list[P2P]()
    try:
        async with asyncio.timeout(LIMIT_SECONDS):
            for _ in range(count):
                known = [str(each) for p2p in made for each in await p2p.get_visible_maddrs()]
                made.append(await P2P.create(host_maddrs=["/ip4/127.0.0.1/tcp/0"], initial_peers=known))
            members = [kind(p2p, **options) for p2p in made]
            for member, p2p in zip(members, made, strict=True):
                await DecentralizedAverager.add_p2p_handlers(member, p2p, namespace=PREFIX)
            yield members
    finally:
        await asyncio.gather(*(p2p.shutdown() for p2p in made))
