"""What strangers can put into the DHT: whatever it is, a search goes on, and memory and time have an end."""

from __future__ import annotations

import asyncio
import dataclasses
import math
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any, cast

import msgspec
import pytest
from hivemind.dht.crypto import RSASignatureValidator
from hivemind.dht.node import _SearchState
from hivemind.dht.routing import DHTID
from hivemind.dht.storage import DHTLocalStorage, DictionaryDHTValue
from hivemind.dht.validation import CompositeValidator, DHTRecord
from hivemind.utils import MSGPackSerializer, ValueWithExpiration
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.msgpack import Ext

from core.protocol.codec import MAX_LINE_BYTES, encode
from core.protocol.peers import PeersSeen
from core.run.signed_manifest import SignedManifest
from core.security.identity import Identity
from core.worker.swarm.dht.bounded_storage import (
    KEY_OVERHEAD_BYTES,
    MAX_BYTES,
    MAX_KEY_BYTES,
    MAX_LIFETIME_SECONDS,
    MAX_RECORD_BYTES,
    BoundedStorage,
)
from core.worker.swarm.dht.manifests import STORAGE_BOUNDS, ManifestValidator
from core.worker.swarm.dht.progress_reports import PeerReport
from core.worker.swarm.dht.rsa_validator import MAX_SUBKEY_BYTES, Signatures
from core.worker.swarm.dht.run_records import MAX_SAMPLES, PeerInfo, ProgressRecord
from core.worker.swarm.patches.msgpack_depth import MAX_DEPTH
from core.worker.swarm.progress.swarm_statistics import MAX_PEERS_TOLD
from tests.support.bounded_msgpack import msgpack_as_in_a_worker
from tests.support.hypothesis_profile import ANYTHING, MIB, NUMBERS, damaged, memory_below, tried
from tests.support.peers.hostile_records import RUNS_KEY, manifest, stored

ORGANISER = Identity.create()
OWNER = RSASignatureValidator()
KEY = DHTID.generate(source="sums_progress")
REPORT = {
    "peer_id": b"x" * 38,
    "epoch": 1,
    "samples_accumulated": 8,
    "samples_per_second": 1.5,
    "time": 1.8e9,
    "client_mode": False,
}


SANE = PeerReport.of(ProgressRecord(**REPORT))


@pytest.fixture(autouse=True, scope="module")
def _bounded() -> Iterator[None]:
    """As in every process of a worker; other tests of this one find hivemind's own again."""
    with msgpack_as_in_a_worker():
        yield


# What is packed


def tower(kind: int, layers: int) -> bytes:
    """Something in something in something."""
    packed = stored(b"")
    for _ in range(layers):
        packed = stored([Ext(kind, packed)])
    return packed


@pytest.mark.parametrize("kind", [0x40, 0x50], ids=["tuples", "dictionaries"])
@pytest.mark.parametrize("layers", [MAX_DEPTH + 1, 300, 5000])
def test_a_tower_is_refused_before_it_falls(kind: int, layers: int) -> None:
    with memory_below(8 * MIB), pytest.raises(ValueError):
        MSGPackSerializer.loads(tower(kind, layers))


@pytest.mark.slow
def test_the_same_tower_ends_whoever_believes_hivemind() -> None:
    """If this fails, core/worker/swarm/patches/msgpack_depth.py may go."""
    program = (
        "import sys; from hivemind.utils import MSGPackSerializer\n"
        "MSGPackSerializer.loads(bytes.fromhex(sys.stdin.read()))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], input=tower(0x40, 300).hex().encode(), stderr=subprocess.DEVNULL
    )
    assert ended.returncode != 0


def test_what_hivemind_itself_packs_is_unpacked() -> None:
    packed = DictionaryDHTValue()
    packed.store(("a", ("b", 1)), stored({"epoch": 1}), time.time() + 60)
    unpacked = MSGPackSerializer.loads(MSGPackSerializer.dumps([packed, ("x", (2, ("y",)))]))
    assert [dict(unpacked[0].items()), unpacked[1]] == [dict(packed.items()), ("x", (2, ("y",)))]


def test_pieces_of_unknown_kinds_are_refused_with_the_first() -> None:
    with pytest.raises(ValueError, match="nobody knows"):
        MSGPackSerializer.loads(stored([Ext(7, b"")] * 100_000))


# Signatures


def record(subkey: bytes, value: bytes, key: DHTID = KEY, lifetime: float = 60.0) -> DHTRecord:
    """As hivemind gives it to a validator."""
    return DHTRecord(key.to_bytes(), subkey, value, time.time() + lifetime)


def signed(value: bytes) -> DHTRecord:
    """One of a peer of hivemind."""
    unsigned = record(stored(OWNER.local_public_key), value)
    return dataclasses.replace(unsigned, value=OWNER.sign_value(unsigned))


@tried(50)
@given(ANYTHING.map(str).map(lambda text: text.encode("utf-8", "replace")))
def test_a_signature_of_hiveminds_is_one_of_ours(value: bytes) -> None:
    ours, whole = Signatures(), signed(stored(value))
    assert ours.validate(whole) and OWNER.validate(whole)
    assert ours.strip_value(whole) == OWNER.strip_value(whole) == stored(value)


@tried(150)
@given(damaged(signed(stored(REPORT)).value))
def test_no_damage_to_a_signed_record_goes_unnoticed(value: bytes) -> None:
    whole = signed(stored(REPORT))
    bad = dataclasses.replace(whole, value=value)
    if Signatures().strip_value(bad) != stored(REPORT):
        assert not Signatures().validate(bad)


@pytest.mark.parametrize("junk", [b"[owner:", b"[signature:", b"[owner:]", b"[owner:ssh-rsa ]", b"[signature:x]"])
def test_a_record_full_of_beginnings_is_done_with_at_once(junk: bytes) -> None:
    """hivemind's own patterns take minutes for a megabyte."""
    both = CompositeValidator([ManifestValidator(), Signatures()])
    much = junk * (MIB // len(junk))
    for subkey, value in (much, b"\x01"), (stored(OWNER.local_public_key), much), (stored("x"), much):
        both.validate(record(subkey, value))
    assert not both.validate(record(much, b"\x01"))
    assert not both.validate(record(junk * (MAX_SUBKEY_BYTES // len(junk)) + b"[owner:no key]", b"\x01"))


# Manifests


SIGNED = SignedManifest.sign(manifest(), ORGANISER)
MANIFEST = stored(SIGNED.to_bytes())
RUNS = DHTID.generate(source=RUNS_KEY)


@tried(150)
@given(damaged(MANIFEST))
def test_no_damaged_manifest_is_kept_for_others(value: bytes) -> None:
    assert not ManifestValidator().validate(record(stored(f"{ORGANISER.peer_id}/sums"), value, RUNS))


@tried(100)
@given(st.binary(max_size=60) | ANYTHING.map(repr).map(stored))
def test_no_other_name_makes_it_somebody_elses(subkey: bytes) -> None:
    assert not ManifestValidator().validate(record(subkey, MANIFEST, RUNS))


def test_a_manifest_of_megabytes_is_refused_unread() -> None:
    with memory_below(MIB):
        value = stored(b"x" * 100_000)
        assert not ManifestValidator().validate(record(stored(f"{ORGANISER.peer_id}/sums"), value, RUNS))


def test_revisions_of_only_so_many_runs_are_remembered() -> None:
    validator = ManifestValidator(max_revisions=3)

    def is_taken(number: int, revision: int) -> bool:
        told = msgspec.structs.replace(manifest(f"run-{number}"), revision=revision)
        value = stored(SignedManifest.sign(told, ORGANISER).to_bytes())
        return validator.validate(record(stored(f"{ORGANISER.peer_id}/run-{number}"), value, RUNS))

    assert all(is_taken(number, revision=2) for number in range(9))
    assert [is_taken(number, revision=1) for number in (8, 7, 6, 0)] == [False, False, False, True]


# Reports


WILD_REPORTS = st.fixed_dictionaries(
    {
        "peer_id": st.binary(max_size=80) | st.just(b"x" * 100_000),
        "epoch": NUMBERS,
        "samples_accumulated": NUMBERS,
        "samples_per_second": NUMBERS,
        "time": NUMBERS,
        "client_mode": st.booleans() | NUMBERS,
    }
)


@tried(200)
@given(st.lists(ANYTHING | WILD_REPORTS | st.just(REPORT) | st.none(), max_size=6))
@example([REPORT | {"samples_accumulated": 2**64 - 1}] * 2)
@example([REPORT | {"samples_per_second": math.inf}, REPORT | {"time": math.nan}])
def test_reports_that_are_believed_can_be_told(values: list[Any]) -> None:
    reports = [report for value in values if (report := PeerReport.parse(value)) is not None]
    assert reports.count(SANE) == values.count(REPORT)
    seen = tuple(report.as_seen("") for report in reports)
    assert sum(report.samples for report in reports) <= len(reports) * MAX_SAMPLES
    told = encode(PeersSeen(peers=seen, loss=0.0))
    unmeasured = [told.count(b'"%b":null' % name) for name in (b"norm_ratio", b"power")]
    assert unmeasured == [len(seen)] * 2 and told.count(b"null") == sum(unmeasured)  # and no number is none


@pytest.mark.parametrize("letter", ["🐝", "\x01", '"'])
def test_as_many_peers_as_are_told_fit_on_a_line(letter: str) -> None:
    card = PeerInfo(name=letter * 40, device=letter * 80)
    seen = SANE.as_seen("", card)
    assert len(encode(PeersSeen(peers=(seen,) * MAX_PEERS_TOLD))) < MAX_LINE_BYTES


# What is kept for others


def storage() -> BoundedStorage:
    """Empty."""
    return BoundedStorage(STORAGE_BOUNDS)


def soon() -> float:
    return time.time() + 600.0


def held(kept: DHTLocalStorage, key: DHTID) -> int:
    """How many records are under that key."""
    item = kept.get(key)
    return 0 if item is None else len(dict(item.value.items()))


def test_a_key_takes_so_much_and_what_is_there_may_be_renewed() -> None:
    kept, value = storage(), b"x" * 30_000
    taken = [kept.store(RUNS, value, soon(), subkey=f"{n}/sums") for n in range(300)]
    assert taken == [True] * sum(taken) + [False] * (300 - sum(taken))
    assert 5 <= held(kept, RUNS) == sum(taken) <= STORAGE_BOUNDS[RUNS] // 30_000
    assert kept.store(RUNS, value[1:], soon() + 1, subkey="0/sums")
    assert not kept.store(RUNS, value * 2, soon() + 2, subkey="0/sums")
    assert kept.keep(RUNS, "mine/sums", value, soon()), "there is always room for our own"
    assert kept.store(KEY, value, soon(), subkey="another key")


def test_all_keys_together_take_so_much() -> None:
    kept, value = storage(), b"x" * 100_000
    taken = [
        kept.store(DHTID.generate(source=f"{n % 100}"), value, soon(), subkey=n)
        for n in range(2 * MAX_BYTES // 100_000)
    ]
    assert MAX_BYTES * 0.9 < sum(taken) * len(value) <= MAX_BYTES


def test_a_storage_of_small_things_is_small() -> None:
    with memory_below(20 * MIB):
        kept = storage()
        for n in range(40_000):
            kept.store(KEY, b"", soon(), subkey=n)
        assert 0 < held(kept, KEY) * 256 <= MAX_KEY_BYTES


TOO_LATE = time.time() + MAX_LIFETIME_SECONDS + 86_400


@pytest.mark.parametrize("expiration", [math.nan, math.inf, TOO_LATE, 1e300], ids=["nan", "inf", "late", "1e300"])
@pytest.mark.parametrize("subkey", [None, "a"])
def test_nothing_stays_for_ever(expiration: float, subkey: str | None) -> None:
    kept = storage()
    assert not kept.store(KEY, b"x", expiration, subkey=subkey)
    assert kept.store(KEY, b"x", soon(), subkey="b")
    assert not kept.store(KEY, b"x", expiration, subkey=subkey)


def test_no_record_is_larger_than_any_that_are_needed() -> None:
    assert not storage().store(KEY, bytes(MAX_RECORD_BYTES + 1), soon(), subkey="a")
    assert not storage().store(KEY, cast(bytes, 5), soon(), subkey="a")


@pytest.mark.parametrize("subkey", [None, "a", b"a", 7])
def test_what_is_held_for_longer_is_there_until_then_whatever_is_refused_meanwhile(subkey: Any) -> None:
    kept, first = storage(), time.time()
    assert kept.store(KEY, b"\x01", first + 600.0, subkey="later")
    if subkey is not None:
        assert kept.store(KEY, b"\x01", first + 60.0, subkey=subkey)
    for sooner in (0.05, 30.0, 60.0):
        assert not kept.store(KEY, b"\x02", first + sooner, subkey=subkey)
    time.sleep(max(0.0, first + 0.1 - time.time()))
    assert held(kept, KEY) == 1 + (subkey is not None)


def test_a_plain_value_takes_no_place() -> None:
    kept = storage()
    assert not kept.store(KEY, stored("plain"), soon())
    assert kept.store(KEY, b"\x01", soon(), subkey="a")
    assert not kept.store(KEY, stored("plain"), soon() + 60.0)
    assert kept.store(KEY, b"\x01", soon() + 1, subkey="b") and held(kept, KEY) == 2


def test_heaps_are_no_longer_than_what_is_held_needs() -> None:
    """What is refused, and what is replaced by what is to be there a moment longer."""
    kept, until = storage(), soon()
    with memory_below(MIB):
        for n in range(20_000):
            kept.store(KEY, b"", until + n / 1e4, subkey="a")
            kept.store(KEY, b"", until, subkey="a")
    item = kept.get(KEY)
    assert item is not None and max(len(each.expiration_heap) for each in (kept, item.value)) < 20


@pytest.mark.parametrize("subkey", [("a",) * 4096, 1.5, (), frozenset()])
def test_subkeys_of_other_types_are_refused(subkey: Any) -> None:
    assert not storage().store(KEY, b"x", soon(), subkey=subkey)


def test_subkeys_of_several_types_may_expire_together() -> None:
    kept, until = storage(), time.time() + 0.05
    assert all(kept.store(KEY, b"x", until, subkey=subkey) for subkey in ("a", b"a", 7, "b", b"c", 9))
    assert kept.store(KEY, b"x", soon(), subkey="stays")
    time.sleep(0.1)
    assert held(kept, KEY) == 1


def test_a_search_adds_what_others_have_to_what_is_held() -> None:
    kept, until = BoundedStorage({}), soon()
    key = DHTID.generate(source="some")
    assert kept.store(key, b"ours", until, subkey="a") and kept.store(key, b"ours", until, subkey=b"b")
    others = DictionaryDHTValue()
    for number in range(8):
        others.store(f"other {number}", b"theirs", until + number % 3 - 1)

    async def found() -> int:
        search = _SearchState(key, math.inf)
        search.add_candidate(kept.get(key), None)
        search.add_candidate(ValueWithExpiration(others, until + 1), None)
        return len(search.binary_value)

    assert asyncio.run(found()) == 2 + 8
    assert kept.store(key, b"ours", until + 5, subkey="a")


def test_as_many_keys_as_there_is_room_for_take_no_more_memory_than_that() -> None:
    with memory_below(MAX_BYTES):
        kept, taken = storage(), 0
        while kept.store(DHTID(taken), b"", soon(), subkey="a"):
            taken += 1
    assert taken * KEY_OVERHEAD_BYTES < MAX_BYTES


def test_our_own_record_takes_the_place_of_what_strangers_have_put_there_and_keeps_it() -> None:
    kept, until = storage(), soon()
    assert kept.store(KEY, b"junk", until + 2900.0, subkey="mine")
    assert kept.keep(KEY, "mine", b"own", until)
    assert not kept.store(KEY, b"junk", until + 2900.0, subkey="mine")
    assert kept.keep(KEY, "mine", b"newer", until + 1.0)
    assert kept.store(KEY, b"theirs", until, subkey="theirs")
    item = kept.get(KEY)
    assert item is not None and {name: each.value for name, each in item.value.items()} == {
        "mine": b"newer",
        "theirs": b"theirs",
    }


def number_in(_subkey: Any, value: bytes) -> float | None:
    """Of a value that says which it is."""
    return float(value) if value.isdigit() else None


def test_where_values_have_an_order_the_later_one_is_stored_whichever_expires_first() -> None:
    kept, until = BoundedStorage({}, {KEY: number_in}), soon()

    def there() -> bytes:
        item = kept.get(KEY)
        assert item is not None
        return bytes(item.value.get("a").value)

    assert kept.store(KEY, b"junk", until + 2900.0, subkey="a")
    assert kept.store(KEY, b"3", until + 2800.0, subkey="a"), "what nobody has signed makes room"
    assert not kept.store(KEY, b"junk", until + 2900.0, subkey="a")
    assert not kept.store(KEY, b"2", until + 2900.0, subkey="a"), "an older one, shown again"
    assert kept.store(KEY, b"4", until, subkey="a") and there() == b"4"
    assert not kept.keep(KEY, "a", b"3", until + 9.0), "who publishes it for another has heard of no newer one yet"
    assert kept.keep(KEY, "a", b"4", until + 9.0)
    assert not kept.store(KEY, b"4", until + 99.0, subkey="a")
    assert kept.store(KEY, b"5", until, subkey="a") and there() == b"5"


ACTS = st.tuples(
    st.sampled_from(["a", "b", None, b"c", 7]),
    st.integers(0, 60_000),
    st.sampled_from([-1.0, 1.0, 600.0, 700.0, math.nan, math.inf]),
)


@tried(60)
@given(st.lists(ACTS, max_size=30))
def test_whatever_is_stored_what_is_held_is_counted_right(acts: list[tuple[Any, int, float]]) -> None:
    kept, true = storage(), DHTLocalStorage()
    for subkey, length, lifetime in acts:
        until = time.time() + lifetime
        if kept.store(RUNS, bytes(length), until, subkey=subkey):
            true.store(RUNS, bytes(length), until, subkey=subkey)
    assert held(kept, RUNS) == held(true, RUNS)
    item = kept.get(RUNS)
    if item is not None:
        assert sum(len(each.value) for _, each in item.value.items()) <= STORAGE_BOUNDS[RUNS]


def test_numbers_of_a_stranger_that_are_none() -> None:
    """A value that does not decode is not a value, whatever its first byte promises."""
    for lie in (
        b"\xdd" + struct.pack(">I", 2**32 - 1),
        b"\xdf" + struct.pack(">I", 2**31),
        b"\xc6\xff\xff\xff\xff",
    ):
        with memory_below(MIB):
            assert not ManifestValidator().validate(record(stored("x"), lie * 200))
