"""TOML that somebody else may have written, read in a time and a memory that its length bounds."""

from __future__ import annotations

import re
import tomllib
from typing import Any

from core.localizable import localized

MOST_PARTS = 16  # of a key such as a.b.c, whose reading takes the cube of them; ours have two
_PART = r"""(?:[A-Za-z0-9_-]++|"(?:[^"\\\n]++|\\.)*+"|'[^'\n]*+')"""
_FURTHER_PART = rf"[ \t]*+\.[ \t]*+{_PART}"
_TOKEN = re.compile(
    "|".join(
        (
            r"\#[^\n]*+",
            r'"""(?:[^"\\]++|\\(?s:.)|"{1,2}(?!"))*+"{0,5}+',
            r"'''(?:[^']++|'{1,2}(?!'))*+'{0,5}+",
            rf"{_PART}(?:{_FURTHER_PART}){{0,{MOST_PARTS - 1}}}+(?P<too_long>{_FURTHER_PART})?+",
            r"""["'][^\n]*+""",
        )
    )
)
"""A comment, a string of several lines, a key (or one of its kind, such as a number), or a string without an end.

What a token has taken is given back to no other, so that a text is walked over once.
"""


def read_toml(text: str) -> dict[str, Any]:
    """The tables in a TOML text; raises ValueError in words, mostly with line and column."""
    if found := next((token for token in _TOKEN.finditer(text) if token["too_long"]), None):
        line = text.count("\n", 0, found.start()) + 1
        raise ValueError(localized("A key has more than %1 parts (at line %2)", MOST_PARTS, line))
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise ValueError(localized("its brackets are nested too deeply")) from error
