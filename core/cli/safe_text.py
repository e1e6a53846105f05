"""Strangers' words, made harmless: nothing in them can move a terminal's cursor or change its colours."""

from __future__ import annotations

import unicodedata

# control, surrogate and private characters; "Cf" turns the direction of writing or hides itself
_REFUSED = {"Cc", "Cs", "Co", "Cn", "Cf", "Zl", "Zp"}


def safe_line(text: str, longest: int = 400) -> str:
    """The text as one line of printable characters, cut where it is too long."""
    line = " ".join(_printable(text.replace("\n", " ")).split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def safe_text(text: str, longest: int = 4000) -> str:
    """The text with its line breaks and nothing else that a terminal would obey."""
    lines = "\n".join(_printable(line) for line in text.replace("\r\n", "\n").split("\n"))
    return lines if len(lines) <= longest else f"{lines[: longest - 1]}…"


def _printable(text: str) -> str:
    return "".join(map(_made_harmless, text))


def _made_harmless(character: str) -> str:
    """The character; a plain space for every kind of space; nothing for what a terminal might obey."""
    if character == "\t" or unicodedata.category(character) == "Zs":
        return " "
    return "" if unicodedata.category(character) in _REFUSED else character
