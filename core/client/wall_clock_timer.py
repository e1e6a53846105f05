"""A clock that rings at a time of day, also when the computer has slept or its clock was set meanwhile."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

LOOK_SECONDS = 5.0  # a thread's own clock stands still while a computer sleeps


class WallClockTimer:
    """Calls ``ring`` once, from a thread of its own, when ``time.time()`` has reached ``at``."""

    def __init__(self, at: float, ring: Callable[[], None]) -> None:
        self._at, self._ring = at, ring
        self._is_off = threading.Event()
        threading.Thread(target=self._wait, name="alarm", daemon=True).start()

    def cancel(self) -> None:
        """Do not ring any more."""
        self._is_off.set()

    def _wait(self) -> None:
        while (seconds := self._at - time.time()) > 0:
            if self._is_off.wait(min(seconds, LOOK_SECONDS)):
                return
        if not self._is_off.is_set():
            self._ring()
