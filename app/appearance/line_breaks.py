"""Line breaks in labels: where a long word may be broken, and where a number must stay with its unit."""

from __future__ import annotations

import re

from core.texts.status import BETWEEN

_LONG_WORD = re.compile(r"\S{21,}")
_LONGEST_PIECE = 10
_MAY_BREAK_HERE = "\u200b"
_AFTER_NUMBER = re.compile(r"(?<=\d) (?=[^\s·–-])")
_SHORT_PART = 22  # as fits beside a button in the smallest window, in the letters of a title
_NO_BREAK_SPACE = "\u00a0"
_NO_BREAK_HERE = "\u2060"


def breakable(text: str) -> str:
    """The text with places where a label may break its long words: names without spaces, ids, links."""
    return _LONG_WORD.sub(_with_breaks, text)


def unbroken(text: str) -> str:
    """The text, which no label breaks between ``12`` and ``s``."""
    return _AFTER_NUMBER.sub(_NO_BREAK_SPACE, text)


def with_whole_paths(text: str) -> str:
    """The text, of whose words with slashes, such as ``/ip4/…``, no label breaks any."""
    return text.replace("/", f"{_NO_BREAK_HERE}/{_NO_BREAK_HERE}")


def in_whole_parts(sentence: str) -> str:
    """The sentence, which a label breaks between its parts rather than in them; no line begins with a dot."""
    parts = unbroken(sentence).split(BETWEEN)
    whole = (part.replace(" ", _NO_BREAK_SPACE) if len(part) <= _SHORT_PART else part for part in parts)
    return f"{_NO_BREAK_SPACE}{BETWEEN.lstrip()}".join(whole)


def _with_breaks(word: re.Match[str]) -> str:
    starts = range(0, len(word[0]), _LONGEST_PIECE)
    return _MAY_BREAK_HERE.join(word[0][start : start + _LONGEST_PIECE] for start in starts)
