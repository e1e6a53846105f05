"""What is asked of a peer and what it answers, byte by byte; a stranger may answer anything."""

from __future__ import annotations

import pytest
from hivemind.utils.multiaddr import Multiaddr
from hypothesis import given
from hypothesis import strategies as st

from core.worker.swarm.dht.autonat import UNKNOWN, Answer, dial_request, read_answer

ADDRESS = Multiaddr("/ip4/203.0.113.7/tcp/31337").to_bytes()


def response(content: bytes) -> bytes:
    """A whole answer around that content."""
    return b"\x08\x01\x1a" + bytes([len(content)]) + content


def test_the_question_is_as_the_protocol_has_it() -> None:
    peer = b"\x0a\x02id\x12\x08" + ADDRESS
    assert dial_request(b"id", [ADDRESS]) == b"\x08\x00\x12\x10\x0a\x0e" + peer


@pytest.mark.parametrize(
    ("content", "answer"),
    [
        (b"\x08\x00\x1a\x08" + ADDRESS, Answer("reached", "/ip4/203.0.113.7/tcp/31337")),
        (b"\x1a\x08" + ADDRESS, Answer("reached", "/ip4/203.0.113.7/tcp/31337")),
        (b"\x08\x64\x12\x06failed", Answer("failed")),
        (b"\x08\x65\x12\x07refused", UNKNOWN),
        (b"\x08\xac\x02", UNKNOWN),
        (b"\x08\x00", UNKNOWN),
        (b"\x08\x00\x1a\x01\xff", UNKNOWN),
    ],
    ids=["OK", "OK unsaid", "dial error", "refused", "internal error", "nowhere", "no address"],
)
def test_only_who_has_tried_counts(content: bytes, answer: Answer) -> None:
    assert read_answer(response(content)) == answer


@pytest.mark.parametrize("message", [b"", b"\x08\x01", b"\x1a\x7f", b"\x1a\x80", b"\x0d\x00", b"\x18\x01"])
def test_what_is_no_answer_says_nothing(message: bytes) -> None:
    assert read_answer(message) == UNKNOWN


@given(st.binary(max_size=200))
def test_whatever_comes_is_some_answer(message: bytes) -> None:
    assert isinstance(read_answer(message), Answer)
    assert isinstance(read_answer(response(message[:100])), Answer)
