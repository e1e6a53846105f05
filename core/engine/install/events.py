"""The events of an engine's installation, and its transfer rate."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Literal

from core.errors import ErrorKind
from core.localizable import Detail

WINDOW_SECONDS = 5.0

Phase = Literal["looking", "downloading", "installing", "trying"]
"""Where the files are; the files; putting them together; starting the engine once."""


@dataclass(frozen=True)
class InstallProgress:
    """The installation goes on; ``bytes_per_second`` is the rate of the last seconds, 0 while nothing is downloaded."""

    phase: Phase
    done_bytes: int = 0
    total_bytes: int = 0
    bytes_per_second: float = 0.0

    @property
    def seconds_left(self) -> float | None:
        """The estimated rest of the download in seconds; ``None`` where it cannot be known."""
        if self.phase != "downloading" or self.bytes_per_second <= 0:
            return None
        return (self.total_bytes - self.done_bytes) / self.bytes_per_second


@dataclass(frozen=True)
class Installed:
    """The new engine has passed its smoke test and is used from now on."""


@dataclass(frozen=True)
class InstallPaused:
    """The installation was stopped by a person; what was downloaded is kept."""


@dataclass(frozen=True)
class InstallFailed:
    """The installation failed; the engine of before, if there was one, is still the one in use."""

    problem: ErrorKind
    detail: Detail = ""


InstallEvent = InstallProgress | Installed | InstallPaused | InstallFailed


class TransferRate:
    """The rate of a transfer over the last seconds, from the bytes that had come by each moment."""

    def __init__(self) -> None:
        self._marks: deque[tuple[float, int]] = deque()

    def add(self, now_seconds: float, done_bytes: int) -> None:
        """Record that ``done_bytes`` had come by ``now_seconds``, on a monotonic clock."""
        self._marks.append((now_seconds, done_bytes))
        while now_seconds - self._marks[0][0] > WINDOW_SECONDS:
            self._marks.popleft()

    @property
    def bytes_per_second(self) -> float:
        """The mean rate in the window of the last seconds; 0 until half a second is known."""
        (first, before), (last, after) = self._marks[0], self._marks[-1]
        return (after - before) / (last - first) if last - first >= 0.5 else 0.0
