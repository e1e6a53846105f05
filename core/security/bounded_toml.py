"""TOML that somebody else may have written, read in a time and a memory that its length bounds."""

from __future__ import annotations

import re
import tomllib
from typing import Any

from core.localizable import localized

MOST_PARTS = 16  # of a key such as a.b.c, whose reading takes the cube of them; ours have two
_PART = r"""(?:[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')"""
_LONG_KEY = re.compile(rf"(?<![A-Za-z0-9_-]){_PART}(?:[ \t]*\.[ \t]*{_PART}){{{MOST_PARTS}}}")


def read_toml(text: str) -> dict[str, Any]:
    """The tables in a TOML text; raises ValueError in words, mostly with line and column."""
    if found := _LONG_KEY.search(text):
        line = text.count("\n", 0, found.start()) + 1
        raise ValueError(localized("A key has more than %1 parts (at line %2)", MOST_PARTS, line))
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise ValueError(localized("its brackets are nested too deeply")) from error
