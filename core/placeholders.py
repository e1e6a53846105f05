"""Values put into translated sentences at ``%1``, ``%2``, … in whatever order the language wants them."""

from __future__ import annotations

import re

_PLACE = re.compile(r"%([1-9])")


def fill_placeholders(sentence: str, *values: str) -> str:
    """The sentence with its placeholders filled; a value that looks like a placeholder itself stays as it is."""

    def value_at(place: re.Match[str]) -> str:
        index = int(place[1]) - 1
        return values[index] if index < len(values) else place[0]

    return _PLACE.sub(value_at, sentence)


def split_placeholders(sentence: str) -> list[str | int]:
    """The words of a sentence and, for each blank between them, its number counted from zero."""
    found: list[str | int] = []
    for number, part in enumerate(_PLACE.split(sentence)):
        found += [int(part) - 1] if number % 2 else part.split()
    return found
