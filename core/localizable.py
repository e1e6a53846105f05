"""Localisable text: English sentences with placeholders, which a window translates where it shows them."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

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
    """What an exception says: the sentence that it was raised with, the rule that a value breaks, or else its text."""
    if isinstance(error, msgspec.ValidationError):
        return _error_in_value(error)
    return error.args[0] if error.args and isinstance(error.args[0], LocalizedText) else str(error)


def broken_rule(message: str) -> LocalizedText:
    """What msgspec says of a value, in the words of a person: what the value must be."""
    if wrong_type := re.match(r"Expected `(\w+)( \| null)?`, got", message):
        wanted = _TYPES.get(wrong_type[1], wrong_type[1])
        return localized('must be %1, or "none"', wanted) if wrong_type[2] else localized("must be %1", wanted)
    if field := re.match(r"Object (missing required|contains unknown) field `(.*)`", message):
        return (
            localized("lacks the field %1", field[2])
            if field[1] == "missing required"
            else localized("has the unknown field %1", field[2])
        )
    bounds = _LIST_BOUNDS if "`array`" in message else _BOUNDS
    for pattern, words in bounds.items():
        if match := re.search(pattern, message):
            return LocalizedText(words.sentence, match.groups())
    return localized("is not allowed (%1)", message)


def joined(sentences: Sequence[Detail], glue: LocalizedText) -> Detail:
    """All of them in their order, at least one; ``glue`` has a blank for what is before it, and one for the next."""
    first, *rest = sentences
    for each in rest:
        first = LocalizedText(glue.sentence, (first, each))
    return first


def _blank(value: object) -> Detail:
    if isinstance(value, BaseException):
        return words_of(value)
    return value if isinstance(value, LocalizedText) else str(value)


def join_sentences(first: Detail, then: LocalizedText) -> LocalizedText:
    """Two sentences one after the other, as far as they are not empty."""
    row = LocalizedText("%1 %2", (first, then)) if first and then else first or then
    return LocalizedText("%1", (row,)) if isinstance(row, str) else row


_TYPES = {
    "int": localized("a whole number"),
    "float": localized("a number"),
    "str": localized("text in quotes"),
    "bool": localized("true or false"),
    "array": localized("a list in brackets"),
    "object": localized("a table in braces"),
}
_BOUNDS = {
    r"of length >= 1$": localized("must not be empty"),
    r"of length >= (\S+)$": localized("must have at least %1 characters"),
    r"of length <= (\S+)$": localized("must have at most %1 characters"),
    r"<= (\S+)$": localized("must be at most %1"),
    r">= (\S+)$": localized("must be at least %1"),
    r"< (\S+)$": localized("must be less than %1"),
    r"> (\S+)$": localized("must be more than %1"),
}
_LIST_BOUNDS = _BOUNDS | {
    r"of length >= (\S+)$": localized("must have at least %1 entries"),
    r"of length <= (\S+)$": localized("must have at most %1 entries"),
}


def _error_in_value(error: msgspec.ValidationError) -> Detail:
    """The rule after the name of the field; a ValueError of a struct's own is told in its own words."""
    if isinstance(error.__cause__, ValueError):
        return words_of(error.__cause__)
    message, _, place = str(error).partition(" - at `")
    field = place.removesuffix("`").removeprefix("$").removeprefix(".")
    return localized("%1 %2", field, broken_rule(message)) if field else broken_rule(message)
