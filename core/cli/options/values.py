"""The values of options, converted from what was typed; each function raises ArgumentTypeError with a sentence."""

from __future__ import annotations

import argparse
import contextlib
import math
import re
import sys
import time
from collections.abc import Callable
from datetime import date, datetime
from datetime import time as clock
from pathlib import Path
from typing import TypeVar

import msgspec

from core.control.messages import MAX_PAUSE_SECONDS
from core.countries import COUNTRIES
from core.run.address import MAX_CHARACTERS
from core.run.multiaddr import Multiaddr
from core.run.round_estimate import Line
from core.run.signed_receipts import KeyText
from core.run.spec.data import Repository
from core.run.spec.experts import MOST_HOSTED
from core.security.sanitize import MAX_NAME_CHARACTERS

MOST_DAYS = 3650
_INVITATION = re.compile(r"[A-Za-z0-9_-]{40,4096}")
_DURATION = re.compile(r"(?:(\d{1,4})d)?(?:(\d{1,4})h)?(?:(\d{1,5})m)?(?:(\d{1,6})s?)?")
_UNIT_SECONDS = (86400, 3600, 60, 1)


def parse_duration(text: str) -> float:
    """Return a duration such as ``1h30m`` in seconds; a number alone counts seconds. Raises ValueError."""
    match = _DURATION.fullmatch(text.strip().lower())
    seconds = (
        sum(int(part or 0) * unit for part, unit in zip(match.groups(), _UNIT_SECONDS, strict=True)) if match else 0
    )
    if seconds <= 0:
        raise ValueError(f"{text!r} is not a time; write it as 45s, 10m, 1h30m or 7d")
    return float(seconds)


_SIZE = re.compile(r"([0-9]{1,6})\s*(MB|GB|TB)", re.ASCII | re.IGNORECASE)
_BYTES = {"MB": 10**6, "GB": 10**9, "TB": 10**12}


def parse_size(text: str) -> int:
    """Return a size such as ``6GB`` in bytes; raises ValueError with a sentence."""
    found = _SIZE.fullmatch(text.strip())
    if not found or not int(found[1]):
        raise ValueError(f"{text!r} is not a size; write it as 6GB or 800MB")
    return int(found[1]) * _BYTES[found[2].upper()]


_RATE = re.compile(r"([0-9]{1,6}(?:\.[0-9]{1,3})?)\s*(kB|MB)(?:/s)?", re.ASCII | re.IGNORECASE)
_RATE_BYTES = {"KB": 10**3, "MB": 10**6}
LEAST_RATE = 10_000


def parse_rate(text: str) -> int:
    """Return a speed such as ``250kB`` in bytes a second; raises ValueError with a sentence."""
    found = _RATE.fullmatch(text.strip())
    rate = round(float(found[1]) * _RATE_BYTES[found[2].upper()]) if found else 0
    if not LEAST_RATE <= rate <= 10**10:
        raise ValueError(f"{text!r} is not a speed from 10kB a second up; write it as 250kB or 2MB")
    return rate


MOST_LOCAL_PEERS = 32  # each is five processes

_Value = TypeVar("_Value")


def positive(text: str) -> int:
    """Convert a whole number, which must be 1 or more."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if not 1 <= number <= 10**12:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 up")
    return number


def experts(text: str) -> int:
    """Convert a number of experts, as many as a computer hosts at the most."""
    number = positive(text)
    if number > MOST_HOSTED:
        raise argparse.ArgumentTypeError(f"{text!r} is more experts than one computer hosts: {MOST_HOSTED} at the most")
    return number


def port(text: str) -> int:
    """Convert a TCP port to listen on, of those that need no privileges."""
    number = positive(text)
    if not 1024 <= number <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port from 1024 to 65535")
    return number


def days(text: str) -> int:
    """Convert a whole number of days, from 1 to MOST_DAYS."""
    number = positive(text)
    if number > MOST_DAYS:
        raise argparse.ArgumentTypeError(f"{text!r} is more than {MOST_DAYS} days")
    return number


def positive_number(text: str) -> float:
    """Convert a number, which must be above 0 and at most a million."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number <= 1e6:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0, and a million at the most")
    return number


def line(text: str) -> Line:
    """Convert an internet connection, upload and download in Mbit/s, such as ``20/100``."""
    upload, slash, download = text.partition("/")
    if not slash:
        raise argparse.ArgumentTypeError(f"{text!r} is not a line; write upload/download in Mbit/s, such as 20/100")
    return Line(positive_number(upload) * 1e6, positive_number(download) * 1e6)


def peers(text: str) -> int:
    """Convert the number of peers of a swarm on this computer."""
    number = positive(text)
    if not 2 <= number <= MOST_LOCAL_PEERS:
        raise argparse.ArgumentTypeError(f"a swarm here has 2 to {MOST_LOCAL_PEERS} peers")
    return number


def name(text: str) -> str:
    """Convert the name by which others may call this computer."""
    if not 1 <= len(text) <= MAX_NAME_CHARACTERS or not text.isprintable():
        raise argparse.ArgumentTypeError(f"a name has 1 to {MAX_NAME_CHARACTERS} characters, all printable")
    return text


def country(text: str) -> str:
    """Convert the two letters of a country; ``none`` is none, which overrides the settings."""
    if text.lower() == "none":
        return ""
    if text.upper() not in COUNTRIES:
        raise argparse.ArgumentTypeError(f"{text!r} is no country; write its two letters in ISO 3166, such as DE")
    return text.upper()


def seconds(text: str) -> float:
    """Convert a duration such as ``10m`` to seconds."""
    return _parsed(parse_duration, text)


def pause(text: str) -> float:
    """Convert the length of a pause, such as ``90m``, to seconds."""
    length = seconds(text)
    if length > MAX_PAUSE_SECONDS:
        days = int(MAX_PAUSE_SECONDS / 86400)
        raise argparse.ArgumentTypeError(f"{text!r} is too long: a pause lasts {days} days at the most")
    return length


def moment(text: str) -> float:
    """Convert a date and time of this computer's zone, or how long ago, to seconds since 1970."""
    try:
        return datetime.fromisoformat(text.strip()).timestamp()
    except (ValueError, OverflowError, OSError):
        try:
            return time.time() - parse_duration(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(
                f"{text!r} is not a time; write it as “2026-11-25 19:30”, or as 90m for so long ago"
            ) from error


def deadline(text: str) -> float:
    """Convert the date, or date and time, at whose end something ends, or in how long, to seconds since 1970."""
    for read in (_end_of_day, _clock_time, lambda text: time.time() + parse_duration(text)):
        with contextlib.suppress(ValueError, OverflowError, OSError):
            until = read(text.strip())
            break
    else:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a date; write it as 2026-12-31, as “2026-12-31 18:00”, or as 30d"
        )
    if until <= time.time():
        raise argparse.ArgumentTypeError(f"{text!r} is over already")
    return until


def _end_of_day(text: str) -> float:
    return datetime.combine(date.fromisoformat(text), clock.max).timestamp()


def _clock_time(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


def receipt_key(text: str) -> str:
    """Convert the key that a receipt names to the form in which receipts have it."""
    try:
        return msgspec.convert(text.lower(), KeyText)
    except msgspec.ValidationError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a key of 32 hexadecimal digits") from error


def invitation(file: str) -> str:
    """Convert the name of a file, or - for the standard input, to the text in it; an invitation alone gets its name."""
    try:
        with contextlib.nullcontext(sys.stdin) if file == "-" else Path(file).open(encoding="utf-8") as stream:
            text = stream.read(MAX_CHARACTERS).strip()
    except OSError as error:
        raise argparse.ArgumentTypeError(f"{file} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise argparse.ArgumentTypeError(f"{file} is not a text") from error
    if not text:
        raise argparse.ArgumentTypeError(f"{file} is empty")
    return f"invitation={text}" if _INVITATION.fullmatch(text) else text


def size(text: str) -> int:
    """Convert a size such as ``6GB`` to bytes."""
    return _parsed(parse_size, text)


def rate(text: str) -> int:
    """Convert a speed such as ``250kB`` to bytes a second."""
    return _parsed(parse_rate, text)


def multiaddr(text: str) -> Multiaddr:
    """Convert an address to listen on or to announce, such as ``/ip4/0.0.0.0/tcp/31337``."""
    return _parsed(Multiaddr, text)


def _parsed(parse: Callable[[str], _Value], text: str) -> _Value:
    """argparse shows only its own kind of error as it was worded."""
    try:
        return parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def hub_repository(text: str) -> str:
    """The model repository in an address such as ``hub://somebody/adder``."""
    repository = text.removeprefix("hub://")
    try:
        if repository == text:
            raise ValueError
        return msgspec.convert(repository, Repository)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a repository; write it as hub://owner/name") from error
