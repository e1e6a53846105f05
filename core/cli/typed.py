"""What a person types after an option, as values; each raises ArgumentTypeError in words."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TypeVar

from core.cli.amount import parse_size
from core.cli.duration import parse_duration
from core.safe_text import MAX_NAME_CHARACTERS

MOST_LOCAL_PEERS = 32  # each is five processes

_Value = TypeVar("_Value")


def positive(text: str) -> int:
    """A whole number from 1 up."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if not 1 <= number <= 10**12:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 1 up")
    return number


def peers(text: str) -> int:
    """How many peers a swarm on this computer has."""
    number = positive(text)
    if not 2 <= number <= MOST_LOCAL_PEERS:
        raise argparse.ArgumentTypeError(f"a swarm here has 2 to {MOST_LOCAL_PEERS} peers")
    return number


def name(text: str) -> str:
    """What others may call this computer."""
    if not 1 <= len(text) <= MAX_NAME_CHARACTERS or not text.isprintable():
        raise argparse.ArgumentTypeError(f"a name has 1 to {MAX_NAME_CHARACTERS} characters, all printable")
    return text


def seconds(text: str) -> float:
    """A time such as ``10m``."""
    return _parsed(parse_duration, text)


def size(text: str) -> int:
    """Bytes, such as ``6GB``."""
    return _parsed(parse_size, text)


def _parsed(parse: Callable[[str], _Value], text: str) -> _Value:
    """argparse shows only its own kind of error as it was worded."""
    try:
        return parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
