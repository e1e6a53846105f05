"""Fetch an expert's weights from its host, which may send anything, at any length, or nothing."""

from __future__ import annotations

import asyncio
import contextlib

from hivemind.p2p import P2P, PeerID
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

from core.worker.experts.block import ExpertId, ExpertShape, build_expert
from core.worker.swarm.experts.messages import CallHeader, reply_header, request
from core.worker.swarm.experts.server import ExpertServer

SILENCE_SECONDS = 20.0  # in which the next piece must come, of 64 KiB: half a second at 1 Mbit/s


class NoStateError(Exception):
    """A host has not sent an expert's weights, or sends something else."""


async def download_state(p2p: P2P, run_id: str, host: str, expert: ExpertId, shape: ExpertShape) -> dict[str, Tensor]:
    """The weights of that expert by their names. Raises NoStateError."""
    initial = build_expert(expert, shape).state_dict()
    stub = ExpertServer.get_stub(p2p, PeerID.from_base58(host), namespace=run_id)
    try:
        data = await _received(stub, expert, len(save(initial)))
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


async def _received(stub: object, expert: ExpertId, length: int) -> bytes:
    """So many bytes; raises ValueError for any other number."""
    replies = await stub.rpc_state(request(CallHeader(*expert)))  # type: ignore[attr-defined]
    data = bytearray()
    try:
        async with asyncio.timeout(SILENCE_SECONDS):
            header = reply_header(await anext(replies))
        if header.refusal or header.size_bytes != length:
            raise ValueError(header.refusal or f"its weights have {header.size_bytes} bytes and not {length}")
        while len(data) < length:
            async with asyncio.timeout(SILENCE_SECONDS):
                response = await anext(replies)
            piece = b"".join(each.buffer for each in response.tensors)
            if not piece or len(data) + len(piece) > length:
                raise ValueError("what it sends is longer than its weights, or empty")
            data += piece
    finally:
        with contextlib.suppress(Exception):
            await replies.aclose()
    return bytes(data)
