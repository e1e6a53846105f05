"""Numbers that stay on one line with what they count."""

from __future__ import annotations

import re

_AFTER_NUMBER = re.compile(r"(?<=\d) (?=[^\s·–-])")
_NO_BREAK_SPACE = "\u00a0"


def unbroken(text: str) -> str:
    """The text, which no label breaks between ``12`` and ``s``."""
    return _AFTER_NUMBER.sub(_NO_BREAK_SPACE, text)
