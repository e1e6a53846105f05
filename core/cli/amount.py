"""Sizes as people type them: ``6GB``, ``800 MB``."""

from __future__ import annotations

import re

_SIZE = re.compile(r"([0-9]{1,6})\s*(MB|GB|TB)", re.ASCII | re.IGNORECASE)
_BYTES = {"MB": 10**6, "GB": 10**9, "TB": 10**12}


def parse_size(text: str) -> int:
    """The bytes; raises ValueError in words."""
    found = _SIZE.fullmatch(text.strip())
    if not found or not int(found[1]):
        raise ValueError(f"{text!r} is no size; write it as 6GB or 800MB")
    return int(found[1]) * _BYTES[found[2].upper()]
