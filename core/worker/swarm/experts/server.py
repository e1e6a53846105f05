"""The RPCs of a host: an expert's forward and backward passes, and its weights. Whoever asks is a stranger.

hivemind's own server is not used: it trains an expert for whoever sends a gradient, forks two processes for each
expert and loads its checkpoints by `torch.load`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from functools import partial
from typing import AsyncIterator  # noqa: UP035 - hivemind reads this very annotation

from hivemind.p2p import P2PContext, ServicerBase
from hivemind.proto import runtime_pb2
from safetensors.torch import save
from torch import Tensor

from core.worker.experts.block import ExpertId
from core.worker.experts.hosted_expert import HostedExpert, NotFiniteError
from core.worker.swarm.experts.announcements import IsPeer, nobody
from core.worker.swarm.experts.messages import CallHeader, Refusal, ReplyHeader, call_header, reply, tensors_in
from core.worker.swarm.experts.quotas import HostLimits, Quotas
from core.worker.swarm.state_parts.messages import PIECE_BYTES
from core.worker.swarm.state_parts.slots import Slot, Slots

log = logging.getLogger(__name__)

StateOf = Callable[[ExpertId], tuple[bytes, int, bytes] | None]
"""The file of an expert that a host answers for or has a copy of, its steps, and the signed record of both."""


class _RefusedError(Exception):
    """A request is not computed; ``refusal`` is what its sender is told."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal)
        self.refusal = refusal


class ExpertServer(ServicerBase):
    """Computes in the one thread of the ``executor``; a request that is refused changes nothing.

    Who ``is_barred`` is refused everything.
    """

    def __init__(
        self,
        experts: Mapping[ExpertId, HostedExpert],
        executor: Executor,
        is_barred: IsPeer,
        limits: HostLimits,
        state_of: StateOf,
        is_leader: IsPeer = nobody,
    ) -> None:
        self._experts, self._executor, self._is_barred = experts, executor, is_barred
        self._state_of, self._is_leader = state_of, is_leader
        self.handed_over: dict[ExpertId, int] = {}  # the steps of each state that the run's leader was sent last
        self._quotas, self._slots = Quotas(limits), Slots()
        self._states: dict[Slot, bytes] = {}  # what is sent to whom holds each place

    def know_upload(self, bits_per_second: float | None) -> None:
        """Send states no faster than their share of such a line: the rest is for answers, whose end trainers await."""
        self._slots.share.upload = bits_per_second

    async def rpc_forward(self, request: runtime_pb2.ExpertRequest, context: P2PContext) -> runtime_pb2.ExpertResponse:
        """What the expert makes of some tokens, (tokens, hidden)."""
        return await self._answered(request, context, 1, _forward)

    async def rpc_backward(self, request: runtime_pb2.ExpertRequest, context: P2PContext) -> runtime_pb2.ExpertResponse:
        """The gradient of those tokens by that of the outputs; the expert learns from it."""
        return await self._answered(request, context, 2, _backward)

    async def rpc_state(
        self, request: runtime_pb2.ExpertRequest, context: P2PContext
    ) -> AsyncIterator[runtime_pb2.ExpertResponse]:
        """An expert's weights as safetensors, in pieces, to two at a time; the first message says how long it is."""
        async for each in self._streamed(request, context, self._weights_of):
            yield each

    async def rpc_whole_state(
        self, request: runtime_pb2.ExpertRequest, context: P2PContext
    ) -> AsyncIterator[runtime_pb2.ExpertResponse]:
        """The same of its whole state, for another host; the first message has the signed record, too."""
        async for each in self._streamed(request, context, self._state_of):
            yield each

    async def _streamed(
        self, request: runtime_pb2.ExpertRequest, context: P2PContext, find: StateOf
    ) -> AsyncIterator[runtime_pb2.ExpertResponse]:
        sender, slot = context.remote_id.to_base58(), None
        try:
            expert = self._header_of(request, sender).expert
            if (slot := self._slots.take(context.remote_id)) is None:
                raise _RefusedError("busy")
            header, signed = await self._begun(slot, sender, expert, find)
            first = reply(header)
            first.tensors.extend([runtime_pb2.Tensor(buffer=signed)] if signed else [])
            yield first
            for start in range(0, header.size_bytes, PIECE_BYTES):
                await self._slots.share.wait(min(PIECE_BYTES, header.size_bytes - start))
                if not self._slots.holds(slot):
                    return
                piece = self._states[slot][start : start + PIECE_BYTES]
                yield runtime_pb2.ExpertResponse(tensors=[runtime_pb2.Tensor(buffer=piece)])
                slot.touch()
            if signed and self._is_leader(sender):
                self.handed_over[expert] = header.steps
        except _RefusedError as error:
            yield reply(ReplyHeader(error.refusal))
        finally:
            if slot is not None:
                self._slots.free(slot)
                self._states.pop(slot, None)

    async def _begun(self, slot: Slot, sender: str, expert: ExpertId, find: StateOf) -> tuple[ReplyHeader, bytes]:
        """Find the state that is sent to whom holds that place; its header, and its signed record.

        What was found for places that are others' now is kept no longer, even where their streams have not ended.
        """
        finding = partial(self._found, slot, sender, expert, find)
        data, steps, signed = await asyncio.get_running_loop().run_in_executor(self._executor, finding)
        if not self._slots.holds(slot):
            raise _RefusedError("busy")
        self._states = {each: kept for each, kept in self._states.items() if self._slots.holds(each)} | {slot: data}
        return ReplyHeader(steps=steps, size_bytes=len(data)), signed

    def _found(self, slot: Slot, sender: str, expert: ExpertId, find: StateOf) -> tuple[bytes, int, bytes]:
        """In the thread that computes: the state, if somebody still waits for it who has not just had it."""
        if not self._slots.holds(slot) or not self._quotas.admit_state(sender, expert):
            raise _RefusedError("busy")
        if (found := find(expert)) is None:
            raise _RefusedError("not hosted")
        return found

    async def _answered(
        self, request: runtime_pb2.ExpertRequest, context: P2PContext, tensors: int, compute: _Compute
    ) -> runtime_pb2.ExpertResponse:
        sender = context.remote_id.to_base58()
        try:
            header = self._header_of(request, sender)
            if (expert := self._experts.get(header.expert)) is None:
                raise _RefusedError("not hosted")
            sent = _checked(request, tensors, expert.hidden_size, sender)
            answer = await self._computed(expert, header, sent, sender, compute)
        except _RefusedError as error:
            return reply(ReplyHeader(error.refusal))
        return reply(ReplyHeader(steps=expert.steps), answer)

    async def _computed(
        self, expert: HostedExpert, header: CallHeader, sent: Sequence[Tensor], sender: str, compute: _Compute
    ) -> Tensor:
        """Compute in the executor's thread, if the sender has not asked for too much.

        A sender that hangs up takes back what has not begun; what has begun counts as asked for until it is done.
        """
        if not self._quotas.admit(sender, len(sent[0])):
            raise _RefusedError("too many")
        computing = self._executor.submit(compute, expert, sender, header, sent)
        computing.add_done_callback(lambda _done: self._quotas.end(sender))
        try:
            return await asyncio.shield(asyncio.wrap_future(computing))  # an expert's step is not left half done
        except NotFiniteError as error:
            raise _RefusedError("wrong") from error
        except asyncio.CancelledError:
            computing.cancel()
            raise

    def _weights_of(self, expert: ExpertId) -> tuple[bytes, int, bytes] | None:
        hosted = self._experts.get(expert)
        return None if hosted is None else (save(hosted.state()), hosted.steps, b"")

    def _header_of(self, request: runtime_pb2.ExpertRequest, sender: str) -> CallHeader:
        """The header of a request, if its sender is let in."""
        if self._is_barred(sender):
            raise _RefusedError("not admitted")
        try:
            return call_header(request)
        except ValueError as error:
            raise _RefusedError("wrong") from error


def _checked(request: runtime_pb2.ExpertRequest, tensors: int, hidden_size: int, sender: str) -> list[Tensor]:
    """So many tensors of a request."""
    try:
        return tensors_in(list(request.tensors), tensors, hidden_size)
    except ValueError as error:
        log.info("%s sends a request that is refused: %s", sender, error)
        raise _RefusedError("wrong") from error


_Compute = Callable[[HostedExpert, str, CallHeader, Sequence[Tensor]], Tensor]


def _forward(expert: HostedExpert, _sender: str, header: CallHeader, sent: Sequence[Tensor]) -> Tensor:
    return expert.forward(sent[0], header.seed)


def _backward(expert: HostedExpert, sender: str, header: CallHeader, sent: Sequence[Tensor]) -> Tensor:
    return expert.backward(sender, sent[0], sent[1], header.seed)
