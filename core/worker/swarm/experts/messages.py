"""What trainers and hosts of experts tell each other; both are strangers, and all of it is bounded.

A message is small enough for one of hivemind's unary calls, of which p2pd and its clients take 4 MiB at the most; more
tokens are sent in several. Tensors are float32 and uncompressed: whoever receives one knows its exact size beforehand.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeVar

import msgspec
from hivemind.compression import deserialize_torch_tensor, serialize_torch_tensor
from hivemind.proto import runtime_pb2
from msgspec import Meta
from torch import Tensor

from core.run.spec.experts import ExpertLayer, ExpertNumber
from core.schema import Count, StrictStruct, decode_message
from core.worker.experts.block import ExpertId
from core.worker.experts.calls import ExpertInput

MAX_TENSORS_BYTES = 2**21  # of one request, as in hivemind's own (MAX_UNARY_PAYLOAD_SIZE)
MAX_METADATA_BYTES = 256
MOST_GAIN = 1e4  # of a token's norm, or of its gradient's, in an expert; trained models have some hundreds at the most
_FLOAT_BYTES = 4
_MOST_TENSORS = 2  # in a request: tokens and gradients

_Header = TypeVar("_Header", bound=StrictStruct)
Refusal = Literal["", "wrong", "busy", "too many", "not hosted", "not admitted"]


class CallHeader(StrictStruct, frozen=True, array_like=True):
    """The expert that is asked, and the seed of what it drops, if it drops anything."""

    layer: ExpertLayer
    index: ExpertNumber
    seed: Annotated[int, Meta(ge=0, lt=2**31)] | None = None

    @property
    def expert(self) -> ExpertId:
        """Whom the call is for."""
        return ExpertId(self.layer, self.index)


class ReplyHeader(StrictStruct, frozen=True, array_like=True):
    """Why there is no answer, or how many optimizer steps the expert has behind it, and its state's size in bytes."""

    refusal: Refusal = ""
    steps: Count = 0
    size_bytes: Count = 0


def most_tokens(hidden_size: int) -> int:
    """How many tokens of that width one request may hold."""
    return MAX_TENSORS_BYTES // (_MOST_TENSORS * _FLOAT_BYTES * hidden_size)


def request(header: CallHeader, *tensors: Tensor) -> runtime_pb2.ExpertRequest:
    """That call as hivemind sends it."""
    packed = [serialize_torch_tensor(tensor.detach().contiguous()) for tensor in tensors]
    return runtime_pb2.ExpertRequest(metadata=msgspec.msgpack.encode(header), tensors=packed)


def reply(header: ReplyHeader, *tensors: Tensor) -> runtime_pb2.ExpertResponse:
    """That answer as hivemind sends it."""
    packed = [serialize_torch_tensor(tensor.detach().contiguous()) for tensor in tensors]
    return runtime_pb2.ExpertResponse(metadata=msgspec.msgpack.encode(header), tensors=packed)


def call_header(told: runtime_pb2.ExpertRequest) -> CallHeader:
    """What a request asks for; raises ValueError for anything else."""
    return decode_message(told.metadata, CallHeader, MAX_METADATA_BYTES)


def reply_header(told: runtime_pb2.ExpertResponse) -> ReplyHeader:
    """What a host answers; raises ValueError for anything else."""
    return decode_message(told.metadata, ReplyHeader, MAX_METADATA_BYTES)


def tensors_in(packed: list[runtime_pb2.Tensor], wanted: int, hidden_size: int) -> list[Tensor]:
    """So many tensors of one shape, (tokens, hidden), all finite; raises ValueError for anything else.

    Nothing is decoded before its size is known to be right.
    """
    if len(packed) != wanted:
        raise ValueError(f"it holds {len(packed)} tensors and not {wanted}")
    tokens = packed[0].size[0] if packed[0].size else 0
    if not 1 <= tokens <= most_tokens(hidden_size):
        raise ValueError(f"it holds {tokens} tokens")
    for each in packed:
        is_plain = each.compression == runtime_pb2.CompressionType.NONE and each.dtype == "float32"
        is_of_shape = list(each.size) == [tokens, hidden_size]
        if not is_plain or not is_of_shape or len(each.buffer) != tokens * hidden_size * _FLOAT_BYTES:
            raise ValueError("a tensor has another type, shape or size than it should")
    tensors = [deserialize_torch_tensor(each).detach() for each in packed]
    if not all(tensor.isfinite().all() for tensor in tensors):
        raise ValueError("a number in it is not finite")
    return tensors


def refuse_outsized(answer: Tensor, asked: ExpertInput) -> None:
    """Raise ValueError for an answer with a row that is more than `MOST_GAIN` times as long as what was asked.

    A token has at least the norm of ones: biases add to it, however short it is. They add nothing to a gradient.
    """
    if asked.gradient is None:
        longest = asked.tokens.double().norm(dim=1).clamp(min=asked.tokens.shape[1] ** 0.5)
    else:
        longest = asked.gradient.double().norm(dim=1)
    if (answer.double().norm(dim=1) > MOST_GAIN * longest).any():
        raise ValueError("its numbers are larger than those of any expert")
