"""What the worker says: English sentences with blanks, which a window can say in a language of its own."""

from __future__ import annotations

from core.placeholders import filled
from core.schema import Message


class Remark(Message, frozen=True):
    """A sentence with blanks, ``%1``, ``%2`` and so on, and what fills them: plain words, or other remarks.

    ``str`` says it in English; without a sentence there is nothing to say.
    """

    sentence: str = ""
    blanks: tuple[Remark | str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.sentence)

    def __str__(self) -> str:
        return filled(self.sentence, *map(str, self.blanks))


def remark(sentence: str, *blanks: Remark | str) -> Remark:
    """That sentence, which must be written out here: Qt Linguist is shown it."""
    return Remark(sentence, blanks)


def in_a_row(first: Remark, then: Remark) -> Remark:
    """One after the other, as far as they say something."""
    return Remark("%1 %2", (first, then)) if first and then else first or then
