"""A donor of base weights, outer steps and momentum: it serves two newcomers at a time, in parts or with the whole.

Beside them it sends rounds of its log to three peers that have missed some. Where its upload was measured, all of them
together have a share of it, and one alone that has missed rounds the whole; see ``state_parts/line_share.py``.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Sequence
from typing import Any, AsyncIterator  # noqa: UP035 - hivemind reads this very annotation

import msgspec
from hivemind.compression import serialize_torch_tensor
from hivemind.p2p import P2PContext
from hivemind.proto import averaging_pb2, runtime_pb2
from torch import Tensor

from core.worker.swarm.averaging.averager_process import AveragerProcess
from core.worker.swarm.local_sgd.frozen_state import FrozenState
from core.worker.swarm.local_sgd.replay import SERVES_OTHERS, Round, WhatFollows, requested_version
from core.worker.swarm.local_sgd.round_log import LoggedRound, RoundLog
from core.worker.swarm.state_parts.line_share import SHARE, WHOLE
from core.worker.swarm.state_parts.messages import PIECE_BYTES, Offer, Version, Wish, decoded, reply
from core.worker.swarm.state_parts.server import ORDER_SECONDS, SharedFile, serve_orders
from core.worker.swarm.state_parts.slots import Slot, Slots

MAX_ROUND_DOWNLOADS = 3
"""At a time. With two states beside them, and the least that newcomers get of a line, each still sends a part of a
round, of 512 KiB, in less than the minute for which others wait."""

log = logging.getLogger(__name__)


class StateDonor(AveragerProcess):
    """An averager whose state newcomers download, two at a time; see ``state_parts/`` for how."""

    def __init__(self, *args: Any, round_log: RoundLog, **kwargs: Any) -> None:
        self._round_log, self._frozen = round_log, FrozenState(round_log)
        self._round_slots = Slots(MAX_ROUND_DOWNLOADS)
        super().__init__(*args, **kwargs)

    async def rpc_missed_rounds(
        self, request: runtime_pb2.ExpertRequest, context: P2PContext
    ) -> AsyncIterator[averaging_pb2.DownloadData]:
        """Send the rounds that lead from the requested version to ours, where our log has them."""
        version = requested_version(request.metadata)
        if context.remote_id in self._slots.barred or not self.allow_state_sharing or version is None:
            return
        loop, slot = asyncio.get_running_loop(), None
        try:
            current, rounds = await loop.run_in_executor(None, self._rounds_from, version)
            if current is None:
                return
            if rounds and (slot := self._round_slots.take(context.remote_id)) is None:
                yield _told(SERVES_OTHERS)
                return
            told = await loop.run_in_executor(None, lambda: [Round(each.lengths(), each.after[1]) for each in rounds])
            yield _told(WhatFollows(int(self.state_sharing_priority), *current, told))
            if slot is not None:
                async for message in self._sent(rounds, slot):
                    yield message
        except (OSError, ValueError) as error:
            log.info("%s is sent no more rounds: %r", context.remote_id, error)
        finally:
            if slot is not None:
                self._round_slots.free(slot)

    def _rounds_from(self, version: Version) -> tuple[Version | None, list[LoggedRound]]:
        """The version that we have, and the rounds that lead there. Reads the disk."""
        current = self._round_log.current()
        return current, self._round_log.since(version) if version[1] else self._round_log.from_steps(version[0])

    async def _sent(self, rounds: Sequence[LoggedRound], slot: Slot) -> AsyncIterator[averaging_pb2.DownloadData]:
        """The parts of those rounds, no faster than the share of the line, as long as the slot is taken.

        Who is sent rounds alone has missed some of a run that goes on meanwhile: half of a slow line might never do.

        Raises OSError and ValueError where a file cannot be read.
        """
        loop = asyncio.get_running_loop()
        for each in rounds:
            parts = each.parts()
            while (part := await loop.run_in_executor(None, _next, parts)) is not None:
                for start in range(0, len(part.buffer), PIECE_BYTES):
                    share = SHARE if self._round_slots.has_others(slot) else WHOLE
                    await self._slots.share.wait(min(PIECE_BYTES, len(part.buffer) - start), share)
                    if not self._round_slots.holds(slot):
                        return
                    slot.touch()
                yield averaging_pb2.DownloadData(tensor_part=part)
                slot.touch()

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


def _told(answer: WhatFollows) -> averaging_pb2.DownloadData:
    return averaging_pb2.DownloadData(metadata=msgspec.msgpack.encode(answer))


def _next(parts: Iterator[Tensor]) -> runtime_pb2.Tensor | None:
    """The next part of a round as hivemind sends it; ``None`` at its end. Reads the disk."""
    part = next(parts, None)
    return None if part is None else serialize_torch_tensor(part)
