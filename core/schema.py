"""The base of every value that crosses a border: strict frozen structs, and the bounded types they share."""

from __future__ import annotations

import functools
from typing import Annotated, TypeVar

import msgspec
from msgspec import Meta
from msgspec.structs import FieldInfo

Count = Annotated[int, Meta(ge=0, le=2**63 - 1)]
MicroBatch = Annotated[int, Meta(ge=1, le=1_000_000)]
"""Samples that are computed at a time."""
Fraction = Annotated[float, Meta(ge=0, lt=1)]
UnixTime = Annotated[float, Meta(ge=0, le=2**33)]
"""Seconds since 1970."""
Sha256 = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
"""In hexadecimal."""

UNREADABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
"""What msgspec raises for bytes in which there is no value of the type that is asked for."""

_Value = TypeVar("_Value")


class StrictStruct(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A frozen value that crosses the border of a process, a disk or the network; an unknown field is an error."""


@functools.cache
def fields_of(struct: type[msgspec.Struct]) -> tuple[FieldInfo, ...]:
    """The fields of a struct; msgspec evaluates the texts of their annotations anew with each call."""
    return msgspec.structs.fields(struct)


def decode_message(encoded: bytes, kind: type[_Value], max_bytes: int) -> _Value:
    """The value in a stranger's msgpack; raises ValueError for what is longer or anything else."""
    if len(encoded) > max_bytes:
        raise ValueError(f"it says nothing that can be understood: it has {len(encoded)} bytes")
    try:
        return msgspec.msgpack.decode(encoded, type=kind)
    except UNREADABLE as error:
        raise ValueError(f"it says nothing that can be understood: {error}") from error
