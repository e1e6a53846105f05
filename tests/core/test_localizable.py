"""What the worker says crosses the pipe as sentences with blanks, and is English to whoever only reads it."""

from __future__ import annotations

import pytest

from core.localizable import LocalizedText, join_sentences, localized
from core.protocol.codec import decode_event, encode
from core.protocol.events import Network

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
