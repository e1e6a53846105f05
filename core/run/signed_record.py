"""What a run's organiser signs for everybody besides the manifest: bytes of some kind, with a signature."""

from __future__ import annotations

from typing import Protocol, TypeVar

import msgspec

from core.schema import UNREADABLE, StrictStruct
from core.security.identity import Identity, verify

CLOCK_SECONDS = 60.0  # by which two computers' clocks may differ


class OfRun(Protocol):
    """What is signed for one run."""

    @property
    def run_id(self) -> str: ...


_Value = TypeVar("_Value")
_OfRun = TypeVar("_OfRun", bound=OfRun)


class _Ordered(msgspec.Struct):
    """What tells which of two values that a peer has signed for a run is the later, whatever else a version adds."""

    run_id: str
    number: int = 0
    revision: int = 0
    at: float = 0.0

    @property
    def order(self) -> float:
        """The later it is, the higher; no kind has more than one of these fields."""
        return max(self.number, self.revision, self.at)


class SignedRecord(StrictStruct, frozen=True):
    """The exact bytes that an organiser signed."""

    payload: bytes
    signature: bytes


def sign_record(kind: bytes, payload: bytes, identity: Identity) -> bytes:
    """The record that the DHT holds, as msgpack; a signature of one ``kind`` is none of another."""
    return msgspec.msgpack.encode(SignedRecord(payload, identity.sign(kind + payload)))


def signed_value(
    kind: bytes, encoded: bytes, organiser: str, max_bytes: int, value_type: type[_Value]
) -> _Value | None:
    """What the organiser, a peer id, has signed; ``None`` for anything else, or for more than ``max_bytes``.

    The signature is verified before the payload is parsed.
    """
    if len(encoded) > max_bytes:
        return None
    try:
        record = msgspec.msgpack.decode(encoded, type=SignedRecord)
        if not verify(organiser, kind + record.payload, record.signature):
            return None
        return msgspec.msgpack.decode(record.payload, type=value_type)
    except UNREADABLE:
        return None


def signed_of_run(
    kind: bytes, encoded: bytes, signer: str, max_bytes: int, value_type: type[_OfRun], run_id: str
) -> _OfRun | None:
    """What that peer id has signed for the run; ``None`` for anything else, as `signed_value` has it."""
    value = signed_value(kind, encoded, signer, max_bytes, value_type)
    return value if value is not None and value.run_id == run_id else None


def signed_order(kind: bytes, encoded: bytes, signer: str, max_bytes: int, run_id: str) -> float | None:
    """By what this value is later than others of its kind that the signer has signed for the run.

    ``None`` where that peer id has not signed it. What a later version has added to it is not looked at.
    """
    value = signed_of_run(kind, encoded, signer, max_bytes, _Ordered, run_id)
    return None if value is None else value.order
