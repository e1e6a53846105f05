"""An expert's whole state on its way to another host: signed by who sends it, hashed, and no longer than it can be."""

from __future__ import annotations

import hashlib

import msgspec
from hivemind.p2p import P2P, PeerID

from core.run.manifest import RunId
from core.run.signed_record import sign_record, signed_value
from core.run.spec.experts import ExpertLayer, ExpertNumber, expert_parameters
from core.schema import Count, Sha256, StrictStruct
from core.security.identity import Identity
from core.worker.experts.block import ExpertId, ExpertShape
from core.worker.swarm.experts.messages import CallHeader, request
from core.worker.swarm.experts.server import ExpertServer
from core.worker.swarm.experts.state_download import NoStateError, received

MAX_RECORD_BYTES = 1024
_HEADER_BYTES = 16 * 1024  # of safetensors: the names and shapes of some tensors
STATE_SECONDS = 60.0  # in which a state is there, and as long as it takes at the slowest:
SLOWEST_BYTES_A_SECOND = 31_250  # half of what a host sends at least, to two at a time (`LineShare`)
_BYTES_OF_PARAMETER = 12  # its weight and AdamW's two statistics, in float32
_KIND = b"workerbee expert state 1:"


class StateRecord(StrictStruct, kw_only=True, frozen=True):
    """Whose state some bytes are, after how many steps, and their SHA-256."""

    run_id: RunId
    layer: ExpertLayer
    index: ExpertNumber
    steps: Count
    sha256: Sha256


def sign_state(run_id: str, expert: ExpertId, steps: int, data: bytes, host: Identity) -> bytes:
    """The record of that state, signed by who sends it."""
    digest = hashlib.sha256(data).hexdigest()
    record = StateRecord(run_id=run_id, layer=expert.layer, index=expert.number, steps=steps, sha256=digest)
    return sign_record(_KIND, msgspec.msgpack.encode(record), host)


def checked_state(run_id: str, expert: ExpertId, signed: bytes, data: bytes, host: str) -> int:
    """The steps of that state, which this peer id has signed; raises NoStateError for anything else."""
    record = signed_value(_KIND, signed, host, MAX_RECORD_BYTES, StateRecord)
    if record is None or (record.run_id, record.layer, record.index) != (run_id, *expert):
        raise NoStateError("nobody has signed it")
    if hashlib.sha256(data).hexdigest() != record.sha256:
        raise NoStateError("it has another SHA-256 than was signed")
    return record.steps


def longest_state(shape: ExpertShape) -> int:
    """The most bytes that the state of an expert has."""
    return _BYTES_OF_PARAMETER * expert_parameters(shape.hidden_size, shape.expansion) + _HEADER_BYTES


def longest_seconds(shape: ExpertShape) -> float:
    """How long the state of an expert may be on its way, in seconds."""
    return STATE_SECONDS + longest_state(shape) / SLOWEST_BYTES_A_SECOND


async def fetch_state(p2p: P2P, run_id: str, host: str, expert: ExpertId, shape: ExpertShape) -> tuple[bytes, int]:
    """An expert's file from a host that answers for it or keeps a copy, and its steps. Raises NoStateError."""
    stub = ExpertServer.get_stub(p2p, PeerID.from_base58(host), namespace=run_id)
    try:
        replies = await stub.rpc_whole_state(request(CallHeader(*expert)))
        signed, data = await received(replies, 0, longest_state(shape))
    except Exception as error:  # the line and the other end may do anything
        raise NoStateError(str(error) or repr(error)) from error
    return data, checked_state(run_id, expert, signed, data, host)
