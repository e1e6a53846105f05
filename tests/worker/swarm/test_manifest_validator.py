"""What an honest peer stores for others: organisers' own manifests, and nothing that ends a search."""

from __future__ import annotations

import dataclasses
import pickle
import time

import msgspec
import pytest
from hivemind.dht.crypto import RSASignatureValidator
from hivemind.dht.protocol import DHTProtocol
from hivemind.dht.routing import DHTID
from hivemind.dht.validation import CompositeValidator, DHTRecord

from core.run.signed_manifest import SignedManifest
from core.security.identity import Identity
from core.worker.swarm.dht.manifests import ManifestValidator
from tests.support.peers.hostile_records import RUNS_KEY, manifest, published, stored

ORGANISER = Identity.create()


def signed(revision: int = 1, run_id: str = "sums", by: Identity = ORGANISER) -> SignedManifest:
    return SignedManifest.sign(msgspec.structs.replace(manifest(run_id), revision=revision), by)


def record(value: bytes, subkey: object = f"{ORGANISER.peer_id}/sums", key: str = RUNS_KEY) -> DHTRecord:
    """As hivemind gives it to a validator."""
    return DHTRecord(DHTID.generate(source=key).to_bytes(), stored(subkey), value, time.time() + 60)


def of(manifest: SignedManifest, subkey: object = f"{ORGANISER.peer_id}/sums") -> DHTRecord:
    return record(stored(manifest.to_bytes()), subkey)


def test_the_organisers_own_manifest_is_stored_again_and_again() -> None:
    validator = ManifestValidator()
    assert validator.validate(of(signed()))
    assert validator.validate(of(signed()))


def test_a_record_of_our_own_publisher_is_what_the_tests_call_published() -> None:
    assert published(signed()).subkey == f"{ORGANISER.peer_id}/sums"


@pytest.mark.parametrize(
    "forged",
    [
        of(msgspec.structs.replace(signed(), signature=bytes(64))),
        of(signed(by=Identity.create())),
        of(signed(run_id="products")),
        of(signed(), subkey=f"{ORGANISER.peer_id}/products"),
        of(signed(), subkey=7),
        record(stored(5)),
        record(stored("text")),
        record(b"\xc1"),
        record(b""),
        record(signed().to_bytes()),
    ],
    ids=[
        *("signature", "another's", "another run", "another subkey", "a number as subkey"),
        *("a number", "a text", "undecodable", "empty", "packed once only"),
    ],
)
def test_a_forgery_is_not_stored(forged: DHTRecord) -> None:
    assert not ManifestValidator().validate(forged)


@pytest.mark.parametrize("subkey", DHTProtocol.RESERVED_SUBKEYS)
def test_a_plain_value_does_not_take_the_dictionarys_place(subkey: bytes) -> None:
    plain = dataclasses.replace(of(signed()), subkey=subkey)
    assert not ManifestValidator().validate(plain)


def test_an_older_revision_is_not_stored_after_a_newer_one() -> None:
    validator = ManifestValidator()
    assert validator.validate(of(signed(revision=2)))
    assert not validator.validate(of(signed(revision=1)))
    assert validator.validate(of(signed(revision=2)))
    assert validator.validate(of(signed(revision=3)))


def test_a_forged_revision_does_not_lock_the_organiser_out() -> None:
    validator = ManifestValidator()
    validator.validate(of(msgspec.structs.replace(signed(revision=99), signature=bytes(64))))
    validator.validate(of(signed(revision=99, by=Identity.create())))
    assert validator.validate(of(signed(revision=1)))


def test_other_keys_hold_what_they_like_as_long_as_it_decodes() -> None:
    validator = ManifestValidator()
    assert validator.validate(record(stored({"epoch": 1}), key="sums_progress"))
    assert validator.validate(record(stored("plain"), subkey=None, key="anything"))
    assert not validator.validate(record(b"\xc1", key="sums_progress"))
    assert not validator.validate(record(stored("cut")[:-1], key="anything"))


def test_it_lives_with_hiveminds_signatures_and_travels_to_the_dht_process() -> None:
    owner = RSASignatureValidator()
    both = CompositeValidator([ManifestValidator(), owner])
    report = record(stored({"epoch": 1}), subkey=owner.local_public_key, key="sums_progress")
    stamped = dataclasses.replace(report, value=both.sign_value(report))
    assert both.validate(stamped)
    assert not both.validate(report), "it is not signed"
    assert pickle.loads(pickle.dumps(ManifestValidator())).validate(of(signed()))
