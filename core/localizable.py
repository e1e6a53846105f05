"""Localisable text: English sentences with placeholders, which a window translates where it shows them."""

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


Detail = LocalizedText | str
"""What in particular has happened: a sentence that is translated, or what a library, a system or a stranger said."""


def localized(sentence: str, *blanks: object) -> LocalizedText:
    """The sentence with its values; it must be a literal at the call, where Qt Linguist finds it."""
    return LocalizedText(sentence, tuple(map(_blank, blanks)))


def words_of(error: BaseException) -> Detail:
    """What an exception says: the sentence that it was raised with, or else its text."""
    return error.args[0] if error.args and isinstance(error.args[0], LocalizedText) else str(error)


def _blank(value: object) -> Detail:
    if isinstance(value, BaseException):
        return words_of(value)
    return value if isinstance(value, LocalizedText) else str(value)


def join_sentences(first: Detail, then: LocalizedText) -> LocalizedText:
    """Two sentences one after the other, as far as they are not empty."""
    row = LocalizedText("%1 %2", (first, then)) if first and then else first or then
    return LocalizedText("%1", (row,)) if isinstance(row, str) else row
