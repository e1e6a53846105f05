"""Receipts for samples: what an organiser or a keeper has seen the peers of a run report, signed, by their keys.

A peer's key here is a hash of the RSA public key with which it signs its progress reports, so that a receipt names
nobody, and whoever holds the key can show that it is theirs.
"""

from __future__ import annotations

import hashlib
from typing import Annotated

import msgspec
from msgspec import Meta

from core.run.signed_record import sign_record, signed_of_run, signed_order
from core.schema import StrictStruct, UnixTime
from core.security.identity import Identity

MOST_RECEIPTS = 128  # in one record: those with the most samples
MAX_RECEIPTS_BYTES = 8 * 1024
KEY_BYTES = 16
MAX_SAMPLES = 2**53  # which JSON and a double can hold
_MAX_EPOCH = 2**31
_KIND = b"workerbee sample receipts 1:"

Samples = Annotated[int, Meta(ge=1, le=MAX_SAMPLES)]
Epoch = Annotated[int, Meta(ge=0, le=_MAX_EPOCH)]
KeyText = Annotated[str, Meta(pattern=r"^[0-9a-f]{32}\Z")]
"""A key's hash in hexadecimal."""
Record = Annotated[bytes, Meta(max_length=MAX_RECEIPTS_BYTES)]
KeyHash = Annotated[bytes, Meta(min_length=KEY_BYTES, max_length=KEY_BYTES)]


class SampleReceipt(StrictStruct, frozen=True):
    """The samples of the peer with that key, in all epochs that the signer has seen, up to ``epoch``."""

    key: KeyHash
    samples: Samples
    epoch: Epoch


class SampleReceipts(StrictStruct, kw_only=True, frozen=True):
    """The receipts of one run that one peer has signed ``at`` a time, in seconds since 1970."""

    run_id: Annotated[str, Meta(min_length=1, max_length=64)]
    at: UnixTime
    receipts: Annotated[tuple[SampleReceipt, ...], Meta(max_length=MOST_RECEIPTS)] = ()

    def of(self, key: bytes) -> SampleReceipt | None:
        """The receipt of that key, if there is one."""
        return next((each for each in self.receipts if each.key == key), None)


def key_hash(public_key: bytes) -> bytes:
    """The first 16 bytes of the SHA-256 of a peer's RSA public key, in the form in which it signs its reports."""
    return hashlib.sha256(public_key).digest()[:KEY_BYTES]


def sign_receipts(receipts: SampleReceipts, identity: Identity) -> bytes:
    """The receipts in the form in which they will be read, signed."""
    return sign_record(_KIND, msgspec.msgpack.encode(receipts), identity)


def receipts_in(encoded: bytes, signer: str, run_id: str) -> SampleReceipts | None:
    """The receipts that a peer has signed of a run; ``None`` for anything else."""
    return signed_of_run(_KIND, encoded, signer, MAX_RECEIPTS_BYTES, SampleReceipts, run_id)


def receipts_order(encoded: bytes, signer: str, run_id: str) -> float | None:
    """By what receipts are later than others, as `signed_order` tells it; ``None`` for anything else."""
    return signed_order(_KIND, encoded, signer, MAX_RECEIPTS_BYTES, run_id)
