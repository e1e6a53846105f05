"""Sanitises what strangers wrote: plain, bounded text that moves no cursor and turns no writing direction."""

from __future__ import annotations

import re
import unicodedata

MAX_NAME_CHARACTERS = 40  # of what a volunteer may be called
MAX_DEVICE_CHARACTERS = 80  # of what a device may be called
MAX_VERSION_CHARACTERS = 24  # of a version of Workerbee

# control, surrogate and private characters; "Cf" turns the direction of writing or hides itself
_REFUSED = {"Cc", "Cs", "Co", "Cn", "Cf", "Zl", "Zp"}


def sanitize_line(text: str, longest: int = 400) -> str:
    """The text as one line of printable characters, cut where it is too long."""
    line = " ".join(_printable(text.replace("\n", " ")).split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def sanitize_text(text: str, longest: int = 4000) -> str:
    """The text with its line breaks, at most one empty line in a row, and nothing else that is not a letter."""
    lines = "\n".join(_printable(line).rstrip() for line in text.replace("\r\n", "\n").split("\n"))
    lines = re.sub(r"\n{3,}", "\n\n", lines).strip()
    return lines if len(lines) <= longest else f"{lines[: longest - 1]}…"


def short_id(peer_id: str) -> str:
    """The first and the last characters of a peer id, which is what people compare."""
    safe = sanitize_line(peer_id, 100)
    return safe if len(safe) <= 20 else f"{safe[:12]}…{safe[-6:]}"


def _printable(text: str) -> str:
    return "".join(map(_made_harmless, text))


def _made_harmless(character: str) -> str:
    """The character; a plain space for every kind of space; nothing for what is not shown."""
    if character == "\t" or unicodedata.category(character) == "Zs":
        return " "
    return "" if unicodedata.category(character) in _REFUSED else character
