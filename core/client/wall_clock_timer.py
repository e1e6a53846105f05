"""A timer for a time of day, also where the computer has slept or its clock was set meanwhile."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

POLL_SECONDS = 5.0  # a thread's own clock stands still while a computer sleeps


class WallClockTimer:
    """Calls ``callback`` once, from a thread of its own, when ``time.time()`` has reached ``at``."""

    def __init__(self, at: float, callback: Callable[[], None]) -> None:
        self._at, self._callback = at, callback
        self._is_cancelled = threading.Event()
        threading.Thread(target=self._wait, name="wall-clock-timer", daemon=True).start()

    def cancel(self) -> None:
        """Cancel the call, if it has not been made yet."""
        self._is_cancelled.set()

    def _wait(self) -> None:
        while (seconds := self._at - time.time()) > 0:
            if self._is_cancelled.wait(min(seconds, POLL_SECONDS)):
                return
        if not self._is_cancelled.is_set():
            self._callback()
