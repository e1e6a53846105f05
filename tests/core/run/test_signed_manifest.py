"""What an organiser signs is what a volunteer reads, and nothing else is read at all."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import ErrorKind, UserError
from core.run.manifest import MAX_MANIFEST_BYTES
from core.run.signed_manifest import SignedManifest
from core.security.identity import Identity
from tests.support.peers.hostile_records import manifest, sign_bytes

ORGANISER = Identity.create()
SIGNED = SignedManifest.sign(manifest(), ORGANISER)
# An RSA peer's id, which is a hash and contains no key.
HASHED_ID = "QmYyQSo1c1Ym7orWxLYvCrM2EmxFTANf8wXmmE7DWjhx5N"


def problem_of(encoded: bytes) -> ErrorKind:
    """Why a record is refused."""
    with pytest.raises(UserError) as raised:
        SignedManifest.from_bytes(encoded).opened()
    return raised.value.problem


def test_what_was_signed_is_what_is_read() -> None:
    read = SignedManifest.from_bytes(SIGNED.to_bytes())
    assert read == SIGNED
    assert read.organiser == ORGANISER.peer_id
    assert read.opened() == manifest()


def test_the_longest_manifest_that_may_be_written_can_be_read() -> None:
    large = manifest(description="🐝" * 7735)
    encoded = SignedManifest.sign(large, ORGANISER).to_bytes()
    assert 31_000 < len(encoded) <= MAX_MANIFEST_BYTES
    assert SignedManifest.from_bytes(encoded).opened() == large


def test_no_organiser_can_sign_what_nobody_may_read() -> None:
    with pytest.raises(UserError, match="at most 32768 are allowed"):
        SignedManifest.sign(manifest(description="🐝" * 8000, notice="🐝" * 500), ORGANISER)


@pytest.mark.parametrize(
    "change",
    [
        {"manifest": SIGNED.manifest.replace(b"Sums", b"Suns")},
        {"organiser": Identity.create().peer_id},
        {"organiser": HASHED_ID},
        {"organiser": ""},
        {"organiser": "1" * 20_000},
        {"signature": b""},
        {"signature": SIGNED.signature[:-1]},
        {"signature": SIGNED.signature * 2},
        {"signature": ORGANISER.sign(SIGNED.manifest)},
        {"signature": Identity.create().sign(b"workerbee run manifest 1:" + SIGNED.manifest)},
    ],
    ids=lambda change: next(iter(change)),
)
def test_whatever_was_changed_after_signing_is_noticed(change: dict[str, Any]) -> None:
    changed = msgspec.structs.replace(SIGNED, **change)
    assert not changed.is_signed()
    assert problem_of(changed.to_bytes()) is ErrorKind.MANIFEST_REFUSED


def test_the_signature_is_looked_at_before_the_manifest_is_parsed() -> None:
    newer = sign_bytes(b'{"format": 2}', ORGANISER)
    assert problem_of(newer.to_bytes()) is ErrorKind.MANIFEST_TOO_NEW
    forged = msgspec.structs.replace(newer, signature=bytes(64))
    assert problem_of(forged.to_bytes()) is ErrorKind.MANIFEST_REFUSED


@pytest.mark.parametrize(
    "encoded",
    [
        b"",
        b"\xc1",
        SIGNED.to_bytes()[:-1],
        SIGNED.to_bytes() + b"\0",
        msgspec.msgpack.encode({"organiser": ORGANISER.peer_id}),
        msgspec.msgpack.encode({**msgspec.structs.asdict(SIGNED), "more": 1}),
        msgspec.msgpack.encode({**msgspec.structs.asdict(SIGNED), "organiser": 1}),
        b"\x83\xa9organiser\xa2\xff\xfe\xa8manifest\xc4\x00\xa9signature\xc4\x00",
        b"\x91" * 30_000,
        bytes(200_000),
    ],
    ids=["nothing", "junk", "cut", "longer", "half", "more", "shape", "no text", "tower", "large"],
)
def test_what_is_no_signed_manifest_is_refused(encoded: bytes) -> None:
    assert problem_of(encoded) is ErrorKind.MANIFEST_REFUSED


@pytest.mark.parametrize("json", [b"", b"[]", b"{}", b'{"format": "new"}', b"\xff", b"[" * 30_000, b" " * 40_000])
def test_what_is_truly_signed_and_no_manifest_is_refused(json: bytes) -> None:
    assert problem_of(sign_bytes(json, ORGANISER).to_bytes()) is ErrorKind.MANIFEST_REFUSED


@given(st.binary(max_size=500))
def test_no_bytes_at_all_do_more_than_be_refused(encoded: bytes) -> None:
    assert problem_of(encoded) is ErrorKind.MANIFEST_REFUSED
