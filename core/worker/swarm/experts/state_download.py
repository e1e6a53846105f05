"""Fetch an expert's weights from its host, which may send anything, at any length, or nothing."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from hivemind.p2p import P2P, PeerID
from hivemind.proto import runtime_pb2
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

from core.worker.experts.block import ExpertId, ExpertShape, build_expert
from core.worker.swarm.experts.messages import CallHeader, reply_header, request
from core.worker.swarm.experts.server import ExpertServer
from core.worker.swarm.state_parts.donor_stream import SILENCE_SECONDS


class NoStateError(Exception):
    """A host has not sent an expert's weights, or sends something else."""


async def download_state(p2p: P2P, run_id: str, host: str, expert: ExpertId, shape: ExpertShape) -> dict[str, Tensor]:
    """The weights of that expert by their names. Raises NoStateError."""
    initial = build_expert(expert, shape).state_dict()
    stub = ExpertServer.get_stub(p2p, PeerID.from_base58(host), namespace=run_id)
    try:
        length = len(save(initial))
        _nothing, data = await received(await stub.rpc_state(request(CallHeader(*expert))), length, length)
        state = load(data)
    except (ValueError, SafetensorError) as error:
        raise NoStateError(str(error)) from error
    except Exception as error:  # the line and the other end may do anything
        raise NoStateError(repr(error)) from error
    if {name: each.shape for name, each in state.items()} != {name: each.shape for name, each in initial.items()}:
        raise NoStateError("its weights have other names or shapes")
    if not all(each.dtype == initial[name].dtype and each.isfinite().all() for name, each in state.items()):
        raise NoStateError("its weights are of another type, or not finite")
    return state


async def received(replies: Any, least: int, most: int) -> tuple[bytes, bytes]:
    """What the first of these messages carries, and the bytes that it announces, so many; raises ValueError."""
    data = bytearray()
    try:
        async with asyncio.timeout(SILENCE_SECONDS):
            first = await anext(replies)
        header = reply_header(first)
        if header.refusal or not least <= header.size_bytes <= most:
            raise ValueError(header.refusal or f"it has {header.size_bytes} bytes and not {least} to {most}")
        while len(data) < header.size_bytes:
            async with asyncio.timeout(SILENCE_SECONDS):
                response = await anext(replies)
            piece = _buffers(response)
            if not piece or len(data) + len(piece) > header.size_bytes:
                raise ValueError("what it sends is longer than it said, or empty")
            data += piece
    finally:
        with contextlib.suppress(Exception):
            await replies.aclose()
    return _buffers(first), bytes(data)


def _buffers(response: runtime_pb2.ExpertResponse) -> bytes:
    return b"".join(each.buffer for each in response.tensors)
