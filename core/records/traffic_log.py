"""The bytes that this person's Workerbees have sent and received, day by day: a bounded file of JSON lines."""

from __future__ import annotations

import logging
import os
import time
from collections import defaultdict
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from core.client.hourly_traffic import increase
from core.files.atomic import write_atomically
from core.files.json_file import read_bounded
from core.protocol.limits import Traffic
from core.schema import Count, StrictStruct

_log = logging.getLogger(__name__)
MOST_BYTES = 64 * 1024
KEPT_DAYS = 62
"""This month and the one before: more is left out when the file is written anew."""
WRITTEN_SECONDS = 30.0
"""What is counted is written so often; whoever is killed has lost no more than that."""


class _Line(StrictStruct, frozen=True):
    """So many more bytes on that day, in local time."""

    day: Annotated[str, Meta(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")]
    sent: Count
    received: Count


_DECODER: msgspec.json.Decoder[_Line] = msgspec.json.Decoder(_Line)
_Sums = defaultdict[str, tuple[int, int]]


class TrafficLog:
    """Counts what the sessions of a front end send and receive, and adds it to the file; nothing here raises.

    Several programs may append to the same file, and see what the others have written with a delay.
    """

    def __init__(self, path: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._path, self._clock = path, clock
        self._counted = (0, 0)
        self._new: _Sums = defaultdict(lambda: (0, 0))
        self._kept: _Sums = defaultdict(lambda: (0, 0))
        self._synced_at: float | None = None

    def count(self, traffic: Traffic, at: datetime) -> dict[str, object]:
        """Count what has been added to a session's traffic, if anything; the fields of an ``Observation``, in bytes."""
        day = at.date()
        more = increase(traffic, *self._counted)
        self._counted = (traffic.sent_bytes, traffic.received_bytes)
        self._new[day.isoformat()] = _sum(self._new[day.isoformat()], more)
        if self._synced_at is None or self._clock() - self._synced_at >= WRITTEN_SECONDS:
            self.write()
        today, month = self._of(day.isoformat()), self._of(day.strftime("%Y-%m-"))
        names = ("sent_today", "received_today", "sent_month", "received_month")
        return dict(zip(names, (*today, *month), strict=True))

    def write(self) -> None:
        """Append what is new to the file, and read what it has."""
        self._synced_at = self._clock()
        lines = [_Line(day, *figures) for day, figures in self._new.items() if any(figures)]
        length = 0
        try:
            if lines:
                length = self._append(lines)
            self._new.clear()
        except OSError as error:
            _log.info("%s is not written: %r", self._path, error)
        self._read()
        if length > MOST_BYTES:
            self._shorten()

    def _append(self, lines: list[_Line]) -> int:
        """The length of the file with these lines; raises OSError."""
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with os.fdopen(os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "ab") as file:
            # a line break first, because the line before may be torn; all at once, because others append as well
            file.write(b"".join(b"\n" + msgspec.json.encode(line) for line in lines))
            return file.tell()

    def _shorten(self) -> None:
        """Write the file anew; where the disk has no room for that, it stays as long as it is and says the same."""
        days = sorted(self._kept)[-KEPT_DAYS:]
        shorter = (msgspec.json.encode(_Line(day, *self._kept[day])) for day in days)
        try:
            write_atomically(self._path, b"\n".join(shorter))
        except OSError as error:
            _log.info("%s is not shortened: %r", self._path, error)

    def _read(self) -> None:
        try:
            encoded = read_bounded(self._path, 2 * MOST_BYTES)
        except FileNotFoundError:
            encoded = b""
        except (OSError, ValueError) as error:
            _log.info("%s cannot be read: %r", self._path, error)
            return
        self._kept.clear()
        for text in encoded.splitlines():
            try:
                line = _DECODER.decode(text)
            except (msgspec.MsgspecError, ValueError, RecursionError):
                continue
            self._kept[line.day] = _sum(self._kept[line.day], (line.sent, line.received))

    def _of(self, days: str) -> tuple[int, int]:
        """The bytes of the days whose names begin so, sent and received."""
        total = (0, 0)
        for day, figures in (*self._kept.items(), *self._new.items()):
            if day.startswith(days):
                total = _sum(total, figures)
        return total


def _sum(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    return one[0] + other[0], one[1] + other[1]
