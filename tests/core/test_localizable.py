"""What the worker says crosses the pipe as sentences with blanks, and is English to whoever only reads it."""

from __future__ import annotations

from typing import Annotated

import msgspec
import pytest
from msgspec import Meta

from core.localizable import LocalizedText, join_sentences, localized, words_of
from core.protocol.codec import decode_event, encode
from core.protocol.events import Network
from core.schema import StrictStruct

REACHED = localized("%1 of %2 peers could connect to %3.", "2", "3", localized("port %1 of your router", "31337"))


def test_it_is_said_in_english() -> None:
    assert str(REACHED) == "2 of 3 peers could connect to port 31337 of your router."
    assert str(localized("Up to %1.", "%2")) == "Up to %2."


def test_it_crosses_the_pipe() -> None:
    event = Network(mode="direct", reason=REACHED)
    assert decode_event(encode(event)) == event


@pytest.mark.parametrize(
    ("first", "then", "said"),
    [("So.", "And so.", "So. And so."), ("", "And so.", "And so."), ("So.", "", "So."), ("", "", "")],
)
def test_one_follows_the_other_where_there_are_two(first: str, then: str, said: str) -> None:
    row = join_sentences(LocalizedText(first), LocalizedText(then))
    assert str(row) == said and bool(row) == bool(said)


class _Inner(StrictStruct, frozen=True):
    size: Annotated[int, Meta(le=6)] = 0

    def __post_init__(self) -> None:
        if self.size == 5:
            raise ValueError(localized("%1 is no size", self.size))


class _Outer(StrictStruct, frozen=True):
    parts: Annotated[list[_Inner], Meta(max_length=2)]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"parts": [{"size": "x"}]}, "parts[0].size must be a whole number"),
        ({"parts": [{"size": 7}]}, "parts[0].size must be at most 6"),
        ({"parts": [{"size": 5}]}, "5 is no size"),
        ({"parts": [{}, {}, {}]}, "parts must have at most 2 entries"),
        ({}, "lacks the field parts"),
        ({"parts": [], "colour": 1}, "has the unknown field colour"),
    ],
)
def test_what_is_wrong_in_a_value_is_a_sentence_that_can_be_translated(value: object, said: str) -> None:
    with pytest.raises(msgspec.ValidationError) as refused:
        msgspec.convert(value, _Outer)
    words = words_of(refused.value)
    assert isinstance(words, LocalizedText) and str(words) == said
