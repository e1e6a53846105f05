"""What a peer holds for others of what a run's leaders and keepers sign: no forgeries, and nothing old for long."""

from __future__ import annotations

import asyncio
import pickle
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest
from hivemind.dht.routing import DHTID
from hivemind.dht.validation import CompositeValidator, DHTRecord
from hivemind.utils import MSGPackSerializer

from core.run.block_list import BlockList, sign_blocks
from core.run.signed_findings import AuditFindings, sign_findings
from core.run.signed_manifest import SignedManifest
from core.run.signed_receipts import SampleReceipts, sign_receipts
from core.run.signed_record import CLOCK_SECONDS, sign_record
from core.run.signed_scores import EvaluationHistory, Score, sign_scores
from core.run.steering.authority import Heartbeat, sign_heartbeat
from core.run.steering.control_value import ControlValue, sign_control
from core.security.identity import Identity
from core.worker.swarm.dht.bounded_storage import BoundedStorage
from core.worker.swarm.dht.manifests import STORAGE_ORDERS
from core.worker.swarm.dht.publisher import LIFETIME_SECONDS
from core.worker.swarm.trust.signed_values import guard_signed_values, signed_value_validators
from tests.support.peers.hostile_records import RUNS_KEY, manifest, published

ORGANISER, STRANGER = Identity.create(), Identity.create()
NOW = 2_000_000_000
SCORE = Score(epoch=1, loss=1.0, at=NOW)
VALIDATORS = {validator.key: validator for validator in signed_value_validators("sums")}

Sign = Callable[[int, Identity, str], bytes]
"""The value that somebody signs so many seconds after ``NOW`` for that run."""

SIGNED: dict[str, Sign] = {
    "control": lambda after, by, run: sign_control(ControlValue(run_id=run, number=NOW + after), by),
    "blocks": lambda after, by, run: sign_blocks(BlockList(run_id=run, revision=NOW + after), by),
    "heartbeats": lambda after, by, run: sign_heartbeat(Heartbeat(run_id=run, since=NOW, at=NOW + after), by),
    "findings": lambda after, by, run: sign_findings(AuditFindings(run_id=run, at=NOW + after), by),
    "receipts": lambda after, by, run: sign_receipts(SampleReceipts(run_id=run, at=NOW + after), by),
    "scores": lambda after, by, run: sign_scores(EvaluationHistory(run, (SCORE,), NOW + after), by),
}


def key_of(kind: str) -> str:
    return f"sums_workerbee_{kind}"


def record(kind: str, value: bytes, subkey: object = ORGANISER.peer_id, lifetime: float = 600.0) -> DHTRecord:
    """As somebody asks us to store it."""
    packed = MSGPackSerializer.dumps(subkey), MSGPackSerializer.dumps(value)
    return DHTRecord(DHTID.generate(source=key_of(kind)).to_bytes(), *packed, time.time() + lifetime)


def test_all_kinds_are_guarded() -> None:
    assert VALIDATORS.keys() == {key_of(kind) for kind in SIGNED}


@pytest.mark.parametrize("kind", SIGNED)
def test_only_what_the_peer_under_whose_id_it_stands_has_signed_for_the_run_is_stored_and_for_ten_minutes(
    kind: str,
) -> None:
    sent = pickle.dumps(CompositeValidator(VALIDATORS.values()))  # to the DHT's process
    validator, sign = pickle.loads(sent), SIGNED[kind]
    own = sign(0, ORGANISER, "sums")
    assert validator.validate(record(kind, own))
    for refused in (
        record(kind, sign(0, STRANGER, "sums")),
        record(kind, own, STRANGER.peer_id),
        record(kind, own, 7),
        record(kind, sign(0, ORGANISER, "products")),
        record(kind, own[:-1]),
        record(kind, b"junk"),
        record(kind, own, lifetime=LIFETIME_SECONDS + CLOCK_SECONDS + 60.0),
        *(record(kind, each(0, ORGANISER, "sums")) for other, each in SIGNED.items() if other != kind),
    ):
        assert not validator.validate(refused)


def test_what_a_later_version_has_added_hinders_nobody_from_storing_it() -> None:
    added = {"run_id": "sums", "number": NOW + 1, "orders_of_tomorrow": [1, "2"]}
    value = sign_record(b"workerbee run control 1:", msgspec.msgpack.encode(added), ORGANISER)
    validator = VALIDATORS[key_of("control")]
    assert validator.validate(record("control", value))
    earlier = MSGPackSerializer.dumps(SIGNED["control"](0, ORGANISER, "sums"))
    orders = [validator.order(ORGANISER.peer_id, each) for each in (MSGPackSerializer.dumps(value), earlier)]
    assert orders == [NOW + 1, NOW]


@pytest.mark.parametrize("kind", SIGNED)
def test_an_older_value_shown_again_with_a_later_end_does_not_keep_a_newer_one_out(kind: str) -> None:
    key, sign = DHTID.generate(source=key_of(kind)), SIGNED[kind]
    held, until = BoundedStorage({}, {key: VALIDATORS[key_of(kind)].order}), time.time() + 600.0

    def is_stored(after: int, lifetime: float) -> bool:
        value = MSGPackSerializer.dumps(sign(after, ORGANISER, "sums"))
        return held.store(key, value, until + lifetime, subkey=ORGANISER.peer_id)

    assert is_stored(0, lifetime=60.0)
    assert is_stored(1, lifetime=0.0)
    assert not is_stored(0, lifetime=60.0)
    assert is_stored(1, lifetime=1.0)


class LocalDHT:
    """A DHT whose node is in this process, and holds what it is given."""

    def __init__(self) -> None:
        self.storage = BoundedStorage({})

    def add_validators(self, _validators: Any) -> None:
        """They are asked by others who want something stored."""

    def run_coroutine(self, coroutine: Any) -> Any:
        """With a node that has nothing else."""
        return asyncio.run(coroutine(self, SimpleNamespace(protocol=self)))


def test_of_what_is_there_when_a_run_begins_that_stays_which_is_signed() -> None:
    dht, key, until = LocalDHT(), DHTID.generate(source=key_of("control")), time.time() + 600.0
    signed = MSGPackSerializer.dumps(SIGNED["control"](0, ORGANISER, "sums"))
    for signer, value, lifetime in (
        (ORGANISER, signed, 0.0),
        (STRANGER, signed, 0.0),
        (Identity.create(), MSGPackSerializer.dumps("junk"), 2000.0),
    ):
        assert dht.storage.store(key, value, until + lifetime, subkey=signer.peer_id)
    guard_signed_values(cast(Any, dht), "sums")
    assert [*dict(dht.storage.get(key).value.items())] == [ORGANISER.peer_id]
    assert not dht.storage.store(key, MSGPackSerializer.dumps("junk"), until + 60.0, subkey=ORGANISER.peer_id)


def test_an_older_manifest_shown_again_with_a_later_end_does_not_keep_a_newer_one_out() -> None:
    held, key, until = BoundedStorage({}, STORAGE_ORDERS), DHTID.generate(source=RUNS_KEY), time.time() + 600.0

    def is_stored(revision: int, lifetime: float) -> bool:
        told = published(SignedManifest.sign(msgspec.structs.replace(manifest(), revision=revision), ORGANISER))
        return held.store(key, told.value, until + lifetime, subkey=told.subkey)

    assert is_stored(1, lifetime=60.0)
    assert is_stored(2, lifetime=0.0)
    assert not is_stored(1, lifetime=60.0)
