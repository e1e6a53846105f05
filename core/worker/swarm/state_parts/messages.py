"""What a newcomer and a donor tell each other about a state in parts; both are strangers, and all of it is bounded.

A newcomer begins with a `Wish`, the donor answers with an `Offer`, and then sends what each `PartOrder` asks for.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias, TypeVar

import msgspec
from hivemind.proto import averaging_pb2, runtime_pb2
from msgspec import Meta

from core.schema import Count, StrictStruct, decode_message

PIECE_BYTES = 2**16  # of one message with a part of the state
INDEX = -1  # in place of a part's number: the hashes of all parts
ROOT_BYTES = 16
DIGEST_BYTES = 32
MAX_MESSAGE_BYTES = 256

Version: TypeAlias = tuple[int, bytes]
"""How many outer steps a state has behind it, and its root, a hash of all that it holds."""

_Root = Annotated[bytes, Meta(max_length=ROOT_BYTES)]
_Message = TypeVar("_Message", bound=StrictStruct)


class Wish(StrictStruct, frozen=True, array_like=True):
    """The version that a newcomer has begun to download; without a ``root``, whatever the donor has."""

    steps: Count = 0
    root: _Root = b""

    @property
    def version(self) -> Version | None:
        """The version that is wished, if any is."""
        return (self.steps, self.root) if self.root else None


class Offer(StrictStruct, frozen=True, array_like=True):
    """The state that a donor has: its version, its size, and the digest of its `PartIndex`.

    One that ``is_not_now`` says nothing else: the donor serves others, or writes its state down first.
    """

    is_not_now: Literal["", "busy", "preparing"] = ""
    steps: Count = 0
    root: _Root = b""
    size_bytes: Count = 0
    digest: Annotated[bytes, Meta(max_length=DIGEST_BYTES)] = b""

    @property
    def version(self) -> Version:
        """Of the state, as the donor tells."""
        return self.steps, self.root


class PartOrder(StrictStruct, frozen=True, array_like=True):
    """A donor is to send the part of that number, from 0, or ``INDEX``."""

    number: Annotated[int, Meta(ge=INDEX, le=2**31)]


def request(told: Wish | PartOrder) -> runtime_pb2.ExpertRequest:
    """That message as hivemind sends it to a donor."""
    return runtime_pb2.ExpertRequest(metadata=msgspec.msgpack.encode(told))


def reply(told: Offer) -> averaging_pb2.DownloadData:
    """That message as hivemind sends it to a newcomer."""
    return averaging_pb2.DownloadData(metadata=msgspec.msgpack.encode(told))


def piece(data: bytes) -> averaging_pb2.DownloadData:
    """Some bytes of a part as hivemind sends them."""
    return averaging_pb2.DownloadData(tensor_part=runtime_pb2.Tensor(buffer=data))


def decoded(metadata: bytes, kind: type[_Message]) -> _Message:
    """The message in those bytes; raises ValueError for anything else."""
    return decode_message(metadata, kind, MAX_MESSAGE_BYTES)
