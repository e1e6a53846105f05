"""Localisable text of the worker: English sentences with placeholders, which a window translates."""

from __future__ import annotations

from core.placeholders import fill_placeholders
from core.schema import StrictStruct


class LocalizedText(StrictStruct, frozen=True):
    """A sentence with placeholders, ``%1``, ``%2`` and so on, and their values: plain words, or other sentences.

    ``str`` says it in English; without a sentence there is nothing to say.
    """

    sentence: str = ""
    blanks: tuple[LocalizedText | str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.sentence)

    def __str__(self) -> str:
        return fill_placeholders(self.sentence, *map(str, self.blanks))


def localized(sentence: str, *blanks: LocalizedText | str) -> LocalizedText:
    """The sentence with its values; it must be a literal at the call, where Qt Linguist finds it."""
    return LocalizedText(sentence, blanks)


def join_sentences(first: LocalizedText, then: LocalizedText) -> LocalizedText:
    """Two sentences one after the other, as far as they are not empty."""
    return LocalizedText("%1 %2", (first, then)) if first and then else first or then
