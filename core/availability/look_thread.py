"""A thread that looks at something again and again: nobody else waits for a look that takes long, or for ever."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

STALE_SECONDS = 20.0
"""After so long without a new look, what was seen before counts as not seen: whoever is asked hangs."""

log = logging.getLogger(__name__)


class Closable(Protocol):
    """What looks; it is made, used and closed in the thread."""

    def close(self) -> None: ...


_Looker = TypeVar("_Looker", bound=Closable)
_Seen = TypeVar("_Seen")


@dataclass(frozen=True)
class Look(Generic[_Seen]):
    """What was seen, and when that was by ``time.monotonic``."""

    seen: _Seen
    at: float

    @property
    def age_seconds(self) -> float:
        """How long ago that was."""
        return time.monotonic() - self.at


class LookThread(Generic[_Seen]):
    """Looks from its making until ``end``; a look that fails is logged and followed by others, one that hangs is left.

    ``make`` makes what looks; ``look`` has that look once, and says in how many seconds it shall look again, which is
    after ``pause_seconds`` where it fails. ``name`` is the thread's, for the log.
    """

    def __init__(
        self,
        name: str,
        make: Callable[[], _Looker],
        look: Callable[[_Looker], tuple[_Seen, float]],
        pause_seconds: float,
    ) -> None:
        self._name, self._pause_seconds, self._next_look = name, pause_seconds, 0.0
        self.last_look: Look[_Seen] | None = None
        self._has_looked, self._ended = threading.Event(), threading.Event()
        threading.Thread(target=self._run, args=(make, look), name=name, daemon=True).start()

    def await_first_look(self, seconds: float) -> None:
        """Wait until something has been seen, for so many seconds at most."""
        self._has_looked.wait(seconds)

    def end(self) -> None:
        """Look no longer; a look that hangs is not waited for."""
        self._ended.set()

    @property
    def seconds_left(self) -> float:
        """In how many seconds it looks again; less than none where that is not known, or late."""
        return self._next_look - time.monotonic()

    def _run(self, make: Callable[[], _Looker], look: Callable[[_Looker], tuple[_Seen, float]]) -> None:
        with contextlib.closing(make()) as looker:
            while not self._ended.is_set():
                pause = self._pause_seconds
                try:
                    seen, pause = look(looker)
                    self.last_look = Look(seen, time.monotonic())
                    self._next_look = self.last_look.at + pause
                    self._has_looked.set()
                except Exception:  # a sensor or service fails in a way of its own; what was seen is soon too old
                    log.exception("%s: a look has failed", self._name)
                self._ended.wait(pause)
