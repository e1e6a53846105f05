"""What an auditor, the senders of a part and its reducer tell each other; all are strangers, and all of it is bounded.

A sender says with a `Contribution` that it has all averages, the auditor answers with the numbers of the parts that are
`Wanted`, and receives their bytes in turn; at last it says with a `Finding` who has lied. It asks a reducer with a
`Question` how it has made a part, and gets an `Account` of it, followed by the reducer's own bytes of that part.
"""

from __future__ import annotations

from typing import Annotated, TypeVar

import msgspec
from msgspec import Meta

from core.schema import StrictStruct, decode_message
from core.worker.swarm.patches.group_checks import MAX_GROUP

MAX_ID_BYTES = 64
DIGEST_BYTES = 16
MAX_PARTS = 64  # of one exchange that one auditor averages once more
MAX_WANTED = 1024  # that a signer of the run wants of one sender, whose changes it tries out
MAX_MESSAGE_BYTES = 8192

_Id = Annotated[bytes, Meta(max_length=MAX_ID_BYTES)]
_Number = Annotated[int, Meta(ge=0, le=2**31)]
_Weight = Annotated[float, Meta(ge=0, le=1e18)]
_Share = Annotated[float, Meta(gt=0, le=1)]
_Digest = Annotated[bytes, Meta(max_length=DIGEST_BYTES)]
_Message = TypeVar("_Message", bound=StrictStruct)


class Contribution(StrictStruct, frozen=True, array_like=True):
    """A member of that group has received every average, and had claimed that weight."""

    group: _Id
    weight: _Weight


class Wanted(StrictStruct, frozen=True, array_like=True):
    """The numbers of the parts that the auditor averages once more or tries out, of all of the exchange, from 0."""

    numbers: Annotated[tuple[_Number, ...], Meta(max_length=MAX_WANTED)] = ()


class Question(StrictStruct, frozen=True, array_like=True):
    """How that part of that group's exchange was made."""

    group: _Id
    number: _Number


class Account(StrictStruct, frozen=True, array_like=True):
    """Of each sender, in the order of the group, the weight that it was given and the digest of what it had sent.

    Who was left out has no weight and no digest. The weight is what was believed of its claim; of that it had the
    share, as a newcomer has a third, see `SenderShares`.
    """

    weights: Annotated[tuple[_Weight, ...], Meta(max_length=MAX_GROUP)] = ()
    digests: Annotated[tuple[_Digest, ...], Meta(max_length=MAX_GROUP)] = ()
    shares: Annotated[tuple[_Share, ...], Meta(max_length=MAX_GROUP)] = ()


class Finding(StrictStruct, frozen=True, array_like=True):
    """The members of the group, by their place in it, who have lied as reducers."""

    liars: Annotated[tuple[Annotated[int, Meta(ge=0, lt=MAX_GROUP)], ...], Meta(max_length=MAX_GROUP)] = ()


def packed(told: StrictStruct) -> bytes:
    """That message as it is sent."""
    return msgspec.msgpack.encode(told)


def decoded(metadata: bytes, kind: type[_Message]) -> _Message:
    """The message in those bytes; raises ValueError for anything else."""
    return decode_message(metadata, kind, MAX_MESSAGE_BYTES)
