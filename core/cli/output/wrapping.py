"""Sentences on a terminal, which would cut them in the middle of a word; in a file or a pipe a line stays one."""

from __future__ import annotations

import os
import textwrap
from typing import TextIO


def print_wrapped(text: str, stream: TextIO) -> None:
    """Print each line of the text, between words as wide as the terminal; an address is never broken."""
    if width := _width(stream):
        wrapper = textwrap.TextWrapper(width, break_long_words=False, break_on_hyphens=False, replace_whitespace=False)
        text = "\n".join(map(wrapper.fill, text.split("\n")))
    print(text, file=stream, flush=True)


def _width(stream: TextIO) -> int:
    """The columns of the terminal; 0 where there is none, or it does not tell."""
    try:
        return os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError, AttributeError):
        return 0
