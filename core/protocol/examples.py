"""Held-out examples with a model's answers, as the worker tells them: few, and of bounded length."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from core.schema import StrictStruct

MAX_CHARACTERS = 200
_Text = Annotated[str, Meta(max_length=MAX_CHARACTERS)]


class Solved(StrictStruct, kw_only=True, frozen=True):
    """A problem of the held-out set and what the model makes of it: as one text, and as a question and an answer.

    The same problems are told each time, in the same order. Their words are those of whoever made the data.
    """

    text: _Text
    correct: bool
    question: _Text = ""
    answer: _Text = ""


Examples = Annotated[tuple[Solved, ...], Meta(max_length=16)]
