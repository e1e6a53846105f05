"""What the worker says: English sentences with blanks, which a window can say in a language of its own."""

from __future__ import annotations

from core.placeholders import fill_placeholders
from core.schema import StrictStruct


class LocalizedText(StrictStruct, frozen=True):
    """A sentence with blanks, ``%1``, ``%2`` and so on, and what fills them: plain words, or other remarks.

    ``str`` says it in English; without a sentence there is nothing to say.
    """

    sentence: str = ""
    blanks: tuple[LocalizedText | str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.sentence)

    def __str__(self) -> str:
        return fill_placeholders(self.sentence, *map(str, self.blanks))


def localized(sentence: str, *blanks: LocalizedText | str) -> LocalizedText:
    """That sentence, which must be written out here: Qt Linguist is shown it."""
    return LocalizedText(sentence, blanks)


def join_sentences(first: LocalizedText, then: LocalizedText) -> LocalizedText:
    """One after the other, as far as they say something."""
    return LocalizedText("%1 %2", (first, then)) if first and then else first or then
