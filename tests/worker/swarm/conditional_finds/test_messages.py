"""What a conditional find says of known records, and an answer of those and of others; made-up bytes are refused."""

from __future__ import annotations

import base64
import os
import tracemalloc
import zlib

import pytest
from hivemind.proto import dht_pb2
from hypothesis import given
from hypothesis import strategies as st

from core.worker.swarm.conditional_finds.messages import (
    FIELD,
    MAX_ANSWER_BYTES,
    MOST_KNOWN,
    Known,
    Record,
    attach,
    attached,
    read_answer,
)

SALT = b"saltsalt"
PEERS = 33

times = st.floats(min_value=0.0, max_value=2.0**40)
records = st.builds(Record, st.sampled_from([b"first", b"second", b"third"]) | st.binary(), st.binary(), times)


def answer_of(held: list[Record], known: list[Record], salt: bytes = SALT) -> bytes:
    """What who holds these answers to who knows those, over the wire."""
    return Known.parse(Known.of(known, salt).encode()).answer(held)


def reports(number: int) -> list[Record]:
    """As large as those of so many peers' progress, with keys and signatures of RSA."""
    keys = (b"[owner:ssh-rsa %b]" % base64.b64encode(os.urandom(279)) for _ in range(number))
    return [report_of(key, 1.7e9 + place) for place, key in enumerate(keys)]


def report_of(key: bytes, time: float) -> Record:
    """A report of who has that key, at that time."""
    names = b"epoch samples_accumulated samples_per_second time client_mode"
    body = b"peer_id" + os.urandom(34) + names + os.urandom(20)
    return Record(key, body + b"[signature:%b]" % base64.b64encode(os.urandom(256)), time)


@given(st.lists(records, unique=True), st.lists(records, unique=True), st.integers(0, 20))
def test_who_asks_learns_all_that_is_held_whatever_it_knew(
    held: list[Record], others: list[Record], shared: int
) -> None:
    known = held[:shared] + [each for each in others if each not in held[:shared]]
    told = read_answer(answer_of(held, known), known)
    assert len(told) == len(held) and set(told) == set(held)


def test_what_is_known_already_is_not_sent_again_and_a_known_peer_by_a_number() -> None:
    before = reports(PEERS)
    assert len(answer_of(before, before)) < 16
    assert len(Known.of(before, SALT).encode()) == len(SALT) + 10 * PEERS
    later = [report_of(record.subkey, record.expiration_time + 10.0) for record in before]
    answer = answer_of(later, before)
    assert read_answer(answer, before) == later
    assert len(answer) < 0.45 * sum(len(record.subkey) + len(record.value) for record in later)


def test_what_lives_longer_than_was_known_costs_the_new_time_alone() -> None:
    before = reports(PEERS)
    longer = [record._replace(expiration_time=record.expiration_time + 10.0) for record in before]
    answer = answer_of(longer, before)
    assert read_answer(answer, before) == longer and len(answer) < 16 * PEERS


def test_where_nothing_is_held_nothing_is_answered() -> None:
    assert answer_of([], reports(3)) == b"" and read_answer(b"", reports(3)) == []


def test_records_that_look_the_same_under_one_salt_do_not_under_the_next() -> None:
    record, other = reports(2)
    [[mine], [with_pepper], [others]] = (
        Known.of([each], salt).digests for each, salt in ((record, SALT), (record, b"pepper.."), (other, SALT))
    )
    assert all(one != another for one, another in zip(mine, with_pepper, strict=True))
    assert all(one != another for one, another in zip(mine, others, strict=True))


@given(st.binary(max_size=200))
def test_made_up_digests_are_refused_or_fit_nothing(data: bytes) -> None:
    held = [Record(b"first", b"1", 1.0), Record(b"second", b"2", 2.0)]
    try:
        known = Known.parse(data)
    except ValueError:
        return
    assert known.encode() == data and known.answer(held)


def test_more_digests_than_anybody_may_tell_are_refused() -> None:
    assert len(Known.parse(SALT + bytes(10 * MOST_KNOWN)).digests) == MOST_KNOWN
    with pytest.raises(ValueError, match="digests"):
        Known.parse(SALT + bytes(10 * (MOST_KNOWN + 1)))


@given(st.binary(max_size=300), st.sampled_from([b"", b"\0", b"\1"]), st.booleans())
def test_a_made_up_answer_is_refused_in_one_way(data: bytes, kind: bytes, is_compressed: bool) -> None:
    known = [Record(b"first", b"1", 1.0)]
    try:
        told = read_answer(kind + (zlib.compress(data) if is_compressed else data), known)
    except ValueError:
        return
    assert all(isinstance(each, Record) for each in told)


@given(st.lists(records, max_size=5, unique=True), st.data())
def test_a_damaged_answer_is_refused_in_one_way(held: list[Record], data: st.DataObject) -> None:
    known = held[:2]
    damaged = bytearray(answer_of(held, known) or b"\0")
    for _ in range(data.draw(st.integers(1, 3))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    try:
        told = read_answer(bytes(damaged), known)
    except ValueError:
        return
    assert all(isinstance(each.subkey, bytes) and isinstance(each.value, bytes) for each in told)


@pytest.mark.parametrize("claim", ["a bit too many", "a place too many", "a place too few", "no time", "no value"])
def test_a_holder_that_names_what_nobody_told_it_is_refused(claim: str) -> None:
    known = [Record(b"first", b"1", 1.0)]
    lies = {
        "a bit too many": b"\x95\xc4\x01\x02\x90\x90\x90\x90",
        "a place too many": b"\x95\xc4\x01\x00\x91\x01\x91\x02\x91\xc4\x01a\x91\xc4\x00",
        "a place too few": b"\x95\xc4\x01\x00\x91\xff\x91\x02\x91\xc4\x01a\x91\xc4\x00",
        "no value": b"\x95\xc4\x01\x00\x91\xc4\x01a\x91\x02\x91\xc0\x91\xc4\x00",
        "no time": b"\x95\xc4\x01\x00\x91\x00\x91\xcb\x7f\xf0\0\0\0\0\0\0\x91\xc4\x01a\x91\xc4\x00",
    }
    honest = b"\x95\xc4\x01\x01\x91\x00\x91\x02\x91\xc4\x01a\x91\xc4\x01b"
    assert read_answer(b"\0" + honest, known) == [*known, Record(b"first", b"ab", 2.0)]
    with pytest.raises(ValueError, match=r"has told|could hold"):
        read_answer(b"\0" + lies[claim], known)


def test_an_answer_that_grows_without_end_is_refused_before_it_has() -> None:
    compressor, zeros = zlib.compressobj(), bytes(2**20)
    bomb = b"".join(compressor.compress(zeros) for _ in range(256)) + compressor.flush()
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="too long"):
            read_answer(b"\1" + bomb, [])
        assert tracemalloc.get_traced_memory()[1] < 4 * MAX_ANSWER_BYTES
    finally:
        tracemalloc.stop()


@given(st.lists(st.binary(max_size=300), max_size=5))
def test_plain_peers_read_a_request_as_if_nothing_had_been_added(parts: list[bytes]) -> None:
    request = dht_pb2.FindRequest(keys=[b"key"], peer=dht_pb2.NodeInfo(node_id=b"me"))
    attach(request, parts)
    received = dht_pb2.FindRequest.FromString(request.SerializeToString())
    assert [*received.keys] == [b"key"] and received.peer.node_id == b"me"
    assert attached(received) == parts
    assert FIELD not in dht_pb2.FindRequest.DESCRIPTOR.fields_by_number, "hivemind uses it for something else"
