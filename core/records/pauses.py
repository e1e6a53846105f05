"""When each device trained, was slowed or paused, and why, over the last days: a bounded file of JSON lines."""

from __future__ import annotations

import logging
import math
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Literal, cast, get_args

import msgspec
from msgspec import Meta

from core.availability.decision import Decision, RuleName
from core.availability.pacing import FULL, GpuCause, Pace, PaceCause
from core.files.atomic import write_atomically
from core.files.json_file import read_bounded
from core.protocol.client_events import Pause
from core.schema import StrictStruct
from core.security.sanitize import sanitize_line

_log = logging.getLogger(__name__)
MOST_BYTES = 256 * 1024
AGAIN_SECONDS = 300.0
"""What stays as it is is written again so often, so that whoever is killed has said until when it was so."""
LONGEST_GAP_SECONDS = 2 * AGAIN_SECONDS + 60.0
_LONGEST_SUBJECT, _LONGEST_DEVICE = 100, 20

OwnPause = Literal["person", "epoch_finished", "sleep"]
"""A pause that no rule has asked for: the person's own, now or after an epoch, and that of a computer that sleeps."""
State = RuleName | OwnPause | Literal["free", "slowed", "off"]


class _Line(StrictStruct, frozen=True, omit_defaults=True):
    """From ``at`` on, in seconds since 1970, the device's state is this one; ``off``: nobody has looked.

    ``slowed`` has its cause as the ``subject``, the ``share`` of the time, and what was ``measured``, if it was. An
    older version's lines name no device, and it leaves out those whose state it does not know.
    """

    at: Annotated[float, Meta(ge=0, le=1e11)]
    state: State
    subject: Annotated[str, Meta(max_length=2 * _LONGEST_SUBJECT)] = ""
    device: Annotated[str, Meta(max_length=_LONGEST_DEVICE)] = ""
    share: Annotated[float, Meta(ge=0, le=1)] | None = None
    measured: Annotated[float, Meta(ge=-1e6, le=1e6)] | None = None


@dataclass(frozen=True)
class Interval:
    """When a device was free, or paused by a ``rule`` or else by ``pause``, or slowed; ``ended`` is ``None`` if it is.

    ``pace`` is the slowest one while it was slowed, without its limit. ``device`` is its label, such as ``cuda:1``;
    empty where an older version did not say which it was.
    """

    began: datetime
    ended: datetime | None
    rule: RuleName | None
    subject: str = ""
    device: str = ""
    pause: OwnPause | None = None
    pace: Pace | None = None


class PauseLog:
    """Appends changes of the state to a file, and reads the intervals between them; nothing here raises.

    Each session has one, all with the same file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._last: _Line | None = None
        self._slowest: _Line | None = None  # where it has become slower since the last line was written

    def note(
        self, decision: Decision, at: datetime, device: str | None, pause: Pause | None = None, pace: Pace = FULL
    ) -> None:
        """Take note of what is decided at that time for the device, by its label; most calls write nothing.

        ``pause`` is that of the session; the person's own comes first. No device: there is no run that the owner has
        agreed to, so that nobody would train.
        """
        if self._last is not None and self._last.device != device:
            self.end(at)
        if device is None:
            return
        self._append(_line(at.timestamp(), device, decision, pause, pace))

    def end(self, at: datetime) -> None:
        """From now on nobody looks at the device that was noted last."""
        if self._last is not None:
            self._append(_Line(at.timestamp(), "off", device=self._last.device))

    def intervals(self, days: float, now: datetime) -> tuple[Interval, ...]:
        """The intervals of the last days on every device, the earliest first, in the zone of ``now``."""
        until = now.timestamp()
        since = until - days * 86_400
        found = [
            _interval(
                span.line,
                datetime.fromtimestamp(max(span.began, since), now.tzinfo),
                None if span.ended == until else datetime.fromtimestamp(span.ended, now.tzinfo),
            )
            for lines in _by_device(self._lines()).values()
            for span in _spans(lines, until)
            if span.line.state != "off" and span.ended > max(span.began, since)
        ]
        return tuple(sorted(found, key=lambda each: each.began))

    def _append(self, line: _Line) -> None:
        last, slowest = self._last, self._slowest
        is_same = last is not None and _is_same(last, line)
        if is_same and last is not None:
            slowest = self._slowest = _slower(slowest or last, line)
            if line.state == "off" or 0 <= line.at - last.at < AGAIN_SECONDS:
                return
            line = msgspec.structs.replace(slowest, at=line.at)
        elif slowest is not None and slowest.state == "slowed":
            self._write(msgspec.structs.replace(slowest, at=line.at))
        self._last, self._slowest = line, None
        self._write(line)

    def _write(self, line: _Line) -> None:
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
    """The same as an interval, in seconds since 1970, also of what is off; of what was slowed, the slowest line."""

    began: float
    ended: float
    line: _Line


def _line(at: float, device: str, decision: Decision, pause: Pause | None, pace: Pace) -> _Line:
    foremost = decision.reason
    if pause is not None and pause.reason != "rule":
        return _Line(at, pause.reason, device=device)
    if foremost is not None:
        return _Line(at, foremost.rule, sanitize_line(foremost.subject, _LONGEST_SUBJECT), device)
    if pace.cause is None:
        return _Line(at, "free", device=device)
    has_figure = pace.cause != "presence" and pace.is_measured
    figure = round(max(-1e6, min(1e6, pace.measured)), 1) if has_figure else None
    return _Line(at, "slowed", pace.cause, device, round(pace.compute_share, 2), figure)


def _interval(line: _Line, began: datetime, ended: datetime | None) -> Interval:
    if line.state in get_args(OwnPause):
        return Interval(began, ended, None, device=line.device, pause=cast("OwnPause", line.state))
    if line.state == "slowed" and line.subject in (*get_args(GpuCause), "presence"):
        pace = Pace(line.share or 0.0, cause=cast("PaceCause", line.subject), measured=line.measured or 0.0)
        pace = replace(pace, is_measured=line.measured is not None)
        return Interval(began, ended, None, device=line.device, pace=pace)
    rule = cast("RuleName", line.state) if line.state in get_args(RuleName) else None
    return Interval(began, ended, rule, line.subject if rule else "", line.device)


def _is_same(one: _Line, other: _Line) -> bool:
    return (one.state, one.subject) == (other.state, other.subject)


def _slower(one: _Line, other: _Line) -> _Line:
    return other if (other.share or 0.0) < (one.share or 0.0) else one


def _by_device(lines: Iterable[_Line]) -> dict[str, list[_Line]]:
    """The lines of each device, in the order in which they were written."""
    devices: defaultdict[str, list[_Line]] = defaultdict(list)
    for line in lines:
        devices[line.device].append(line)
    return devices


def _spans(lines: Sequence[_Line], now: float) -> Iterator[_Span]:
    """What is written again is one span; after a gap nobody knows, and a clock that was set back begins anew.

    Nobody looks while the computer sleeps, however long that is.
    """
    span: _Span | None = None
    for line, following in pairwise((*lines, _Line(now, "off"))):
        longest = math.inf if line.state == "sleep" else LONGEST_GAP_SECONDS
        ended = following.at if 0 <= following.at - line.at <= longest else line.at
        if span is not None and span.ended == line.at and _is_same(span.line, line):
            span = replace(span, ended=ended, line=_slower(span.line, line))
            continue
        if span is not None:
            yield span
        span = _Span(line.at, ended, line)
    if span is not None:
        yield span
