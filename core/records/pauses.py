"""When each device was free for training and when it was not, over the last days: a bounded file of JSON lines."""

from __future__ import annotations

import logging
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from core.availability.decision import Decision, RuleName
from core.files.atomic import write_atomically
from core.files.json_file import read_bounded
from core.schema import StrictStruct
from core.security.sanitize import sanitize_line

_log = logging.getLogger(__name__)
MOST_BYTES = 256 * 1024
AGAIN_SECONDS = 300.0
"""What stays as it is is written again so often, so that whoever is killed has said until when it was so."""
LONGEST_GAP_SECONDS = 2 * AGAIN_SECONDS + 60.0
_LONGEST_SUBJECT, _LONGEST_DEVICE = 100, 20

State = RuleName | Literal["free", "off"]


class _Line(StrictStruct, frozen=True):
    """From ``at`` on, in seconds since 1970, the device's state is this one; ``off``: nobody has looked.

    An older version's lines name no device.
    """

    at: Annotated[float, Meta(ge=0, le=1e11)]
    state: State
    subject: Annotated[str, Meta(max_length=2 * _LONGEST_SUBJECT)] = ""
    device: Annotated[str, Meta(max_length=_LONGEST_DEVICE)] = ""


@dataclass(frozen=True)
class Interval:
    """When a device was free (no ``rule``), or paused by that rule; ``ended`` is ``None`` if it still is.

    ``device`` is its label, such as ``cuda:1``; empty where an older version did not say which it was.
    """

    began: datetime
    ended: datetime | None
    rule: RuleName | None
    subject: str = ""
    device: str = ""


class PauseLog:
    """Appends changes of the decision to a file, and reads the intervals between them; nothing here raises.

    Each session has one, all with the same file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._last: _Line | None = None

    def note(self, decision: Decision, at: datetime, device: str | None) -> None:
        """Take note of what is decided at that time for the device, by its label; most calls write nothing.

        No device: there is no run that the owner has agreed to, so that nobody would train.
        """
        if self._last is not None and self._last.device != device:
            self.end(at)
        if device is None:
            return
        foremost = decision.reason
        if foremost is None:
            self._append(_Line(at.timestamp(), "free", device=device))
        else:
            subject = sanitize_line(foremost.subject, _LONGEST_SUBJECT)
            self._append(_Line(at.timestamp(), foremost.rule, subject, device))

    def end(self, at: datetime) -> None:
        """From now on nobody looks at the device that was noted last."""
        if self._last is not None:
            self._append(_Line(at.timestamp(), "off", device=self._last.device))

    def intervals(self, days: float, now: datetime) -> tuple[Interval, ...]:
        """The intervals of the last days on every device, the earliest first, in the zone of ``now``."""
        until = now.timestamp()
        since = until - days * 86_400
        found = [
            Interval(
                datetime.fromtimestamp(max(span.began, since), now.tzinfo),
                None if span.ended == until else datetime.fromtimestamp(span.ended, now.tzinfo),
                None if span.state == "free" else span.state,
                span.subject,
                device,
            )
            for device, lines in _by_device(self._lines()).items()
            for span in _spans(lines, until)
            if span.state != "off" and span.ended > max(span.began, since)
        ]
        return tuple(sorted(found, key=lambda each: each.began))

    def _append(self, line: _Line) -> None:
        last = self._last
        is_same = last is not None and (last.state, last.subject) == (line.state, line.subject)
        if last is not None and is_same and (line.state == "off" or 0 <= line.at - last.at < AGAIN_SECONDS):
            return
        self._last = line
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with os.fdopen(os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "ab") as file:
                file.write(b"\n" + msgspec.json.encode(line))  # first, because the line before may be torn
                length = file.tell()
            if length > MOST_BYTES:
                self._halve()
        except (OSError, ValueError) as error:
            _log.info("%s is not written: %r", self._path, error)

    def _halve(self) -> None:
        lines = self._path.read_bytes()[-MOST_BYTES:].splitlines()
        write_atomically(self._path, b"\n".join(lines[len(lines) // 2 :]))

    def _lines(self) -> list[_Line]:
        """Those that can be read."""
        try:
            encoded = read_bounded(self._path, 2 * MOST_BYTES)
        except (OSError, ValueError):
            return []
        lines = []
        for text in encoded.splitlines():
            try:
                lines.append(_DECODER.decode(text))
            except (msgspec.MsgspecError, ValueError, RecursionError):
                continue
        return lines


_DECODER: msgspec.json.Decoder[_Line] = msgspec.json.Decoder(_Line)


@dataclass(frozen=True)
class _Span:
    """The same as an interval, in seconds since 1970, also of what is off."""

    began: float
    ended: float
    state: State
    subject: str


def _by_device(lines: Iterable[_Line]) -> dict[str, list[_Line]]:
    """The lines of each device, in the order in which they were written."""
    devices: defaultdict[str, list[_Line]] = defaultdict(list)
    for line in lines:
        devices[line.device].append(line)
    return devices


def _spans(lines: Sequence[_Line], now: float) -> Iterator[_Span]:
    """What is written again is one span; after a gap nobody knows, and a clock that was set back begins anew."""
    span: _Span | None = None
    for line, following in pairwise((*lines, _Line(now, "off"))):
        ended = following.at if 0 <= following.at - line.at <= LONGEST_GAP_SECONDS else line.at
        if span is not None and (span.ended, span.state, span.subject) == (line.at, line.state, line.subject):
            span = replace(span, ended=ended)
            continue
        if span is not None:
            yield span
        span = _Span(line.at, ended, line.state, line.subject)
    if span is not None:
        yield span
