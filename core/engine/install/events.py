"""What is told while an engine is made."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Literal

from core.errors import ErrorKind

Phase = Literal["looking", "downloading", "installing", "trying"]
"""Where the files are; the files; putting them together; starting the engine once."""


@dataclass(frozen=True)
class InstallProgress:
    """It goes on; ``bytes_per_second`` is of the last seconds, and 0 while nothing is downloaded."""

    phase: Phase
    done_bytes: int = 0
    total_bytes: int = 0
    bytes_per_second: float = 0.0

    @property
    def seconds_left(self) -> float | None:
        """Of the download; ``None`` where nobody can know."""
        if self.phase != "downloading" or self.bytes_per_second <= 0:
            return None
        return (self.total_bytes - self.done_bytes) / self.bytes_per_second


@dataclass(frozen=True)
class Installed:
    """It works, and is used from now on."""


@dataclass(frozen=True)
class MakingPaused:
    """Somebody has stopped it; what was downloaded is kept."""


@dataclass(frozen=True)
class InstallFailed:
    """It could not be made; the engine of before, if there was one, is still the one in use."""

    problem: ErrorKind
    detail: str = ""


MakingEvent = InstallProgress | Installed | MakingPaused | InstallFailed


WINDOW_SECONDS = 5.0


class Speed:
    """Told how much has come by when."""

    def __init__(self) -> None:
        self._marks: deque[tuple[float, int]] = deque()

    def note(self, now_seconds: float, done_bytes: int) -> None:
        """So much is done by now."""
        self._marks.append((now_seconds, done_bytes))
        while now_seconds - self._marks[0][0] > WINDOW_SECONDS:
            self._marks.popleft()

    @property
    def bytes_per_second(self) -> float:
        """0 until enough is known."""
        (first, before), (last, after) = self._marks[0], self._marks[-1]
        return (after - before) / (last - first) if last - first >= 0.5 else 0.0
