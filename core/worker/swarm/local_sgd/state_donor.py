"""A donor of base weights, outer steps and momentum: it serves two newcomers at a time, in parts or with the whole.

Where its upload was measured, they have a share of it; see ``state_parts/line_share.py``.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Any, AsyncIterator  # noqa: UP035 - hivemind reads this very annotation

from hivemind.p2p import P2PContext
from hivemind.proto import averaging_pb2, runtime_pb2
from torch import Tensor

from core.worker.swarm.averaging.averager_process import AveragerProcess
from core.worker.swarm.local_sgd.frozen_state import FrozenState
from core.worker.swarm.local_sgd.round_log import RoundLog
from core.worker.swarm.state_parts.messages import Offer, Wish, decoded, reply
from core.worker.swarm.state_parts.server import ORDER_SECONDS, SharedFile, serve_orders
from core.worker.swarm.state_parts.slots import Slot

log = logging.getLogger(__name__)


class StateDonor(AveragerProcess):
    """An averager whose state newcomers download, two at a time; see ``state_parts/`` for how."""

    def __init__(self, *args: Any, round_log: RoundLog, **kwargs: Any) -> None:
        self._round_log, self._frozen = round_log, FrozenState(round_log)
        super().__init__(*args, **kwargs)

    async def rpc_state_parts(
        self, stream: AsyncIterator[runtime_pb2.ExpertRequest], context: P2PContext
    ) -> AsyncIterator[averaging_pb2.DownloadData]:
        """Offer our state, and send the parts of it that are ordered."""
        if not self.allow_state_sharing:
            return
        slot = self._slots.take(context.remote_id)
        if slot is None:
            yield reply(Offer("busy"))
            return
        try:
            async for message in self._served(stream, slot):
                yield message
        except (ValueError, TimeoutError, OSError) as error:
            log.info("%s is sent no more parts: %r", context.remote_id, error)
        finally:
            self._slots.free(slot)

    async def _served(
        self, stream: AsyncIterator[runtime_pb2.ExpertRequest], slot: Slot
    ) -> AsyncIterator[averaging_pb2.DownloadData]:
        """Raises ValueError, TimeoutError and OSError as `serve_orders` does."""
        async with asyncio.timeout(ORDER_SECONDS):
            first = await anext(stream, None)
        if first is None:
            return
        wanted = decoded(first.metadata, Wish).version
        shared = await self._frozen.offered(wanted, self._own_state, is_served=self._slots.has_others(slot))
        if isinstance(shared, SharedFile):
            yield reply(shared.index.offer)
            async for message in serve_orders(stream, shared, self._slots, slot):
                yield message
                self._frozen.touch()
        elif shared is not None:
            yield reply(Offer(shared))

    async def _own_state(self) -> Sequence[Tensor]:
        _serialized, tensors, _infos = await self._get_current_state_from_host_process()
        own: Sequence[Tensor] = tensors
        return own
