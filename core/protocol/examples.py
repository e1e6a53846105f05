"""Held-out examples with a model's answers, as the worker tells them: few, and of bounded length."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from core.localizable import localized
from core.schema import StrictStruct

MAX_CHARACTERS = 200
MAX_SIDE = 32  # pixels
_CHANNELS = 3
_Text = Annotated[str, Meta(max_length=MAX_CHARACTERS)]


class Picture(StrictStruct, kw_only=True, frozen=True):
    """A square picture of ``side`` × ``side`` pixels: their red, green and blue, row by row, a byte each.

    Raises ValueError where there are not as many bytes as that makes.
    """

    side: Annotated[int, Meta(ge=1, le=MAX_SIDE)]
    rgb: Annotated[bytes, Meta(max_length=MAX_SIDE**2 * _CHANNELS)]

    def __post_init__(self) -> None:
        """Refuse pixels that are not a square of that side."""
        if len(self.rgb) != self.side**2 * _CHANNELS:
            raise ValueError(localized("%1 bytes are no %2 × %3 pixels", len(self.rgb), self.side, self.side))


class Solved(StrictStruct, kw_only=True, frozen=True):
    """A problem of the held-out set and what the model makes of it: as one text, and as a question and an answer.

    The same problems are told each time, in the same order. Their words and pictures are those of whoever made the
    data. Of a ``picture`` the ``question`` is the name of its class.
    """

    text: _Text
    correct: bool
    question: _Text = ""
    answer: _Text = ""
    picture: Picture | None = None


Examples = Annotated[tuple[Solved, ...], Meta(max_length=16)]
