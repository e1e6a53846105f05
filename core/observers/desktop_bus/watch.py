"""What other programs tell over D-Bus, asked every few seconds in a thread of its own: nobody else waits for them."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Callable

from core.availability.rules import AvailabilityRules
from core.observers.desktop_bus.reader import DesktopReader, Told

POLL_SECONDS = 5.0
STALE_SECONDS = 20.0
"""After so long without a new answer, what was told before counts as not told: the bus hangs."""

log = logging.getLogger(__name__)


def told_now(rules: AvailabilityRules, seconds: float) -> dict[str, Told]:
    """What is told at this moment of all that those rules ask for; nothing where that takes longer than so long."""
    watch = DesktopWatch(lambda: rules)
    watch.start()
    watch.await_first_look(seconds)
    watch.stop()
    return watch.latest()


class DesktopWatch:
    """Has a reader ask every ``POLL_SECONDS`` between ``start`` and ``stop``, as far as the rules ask for it.

    ``make`` makes the reader, in the thread.
    """

    def __init__(
        self,
        rules: Callable[[], AvailabilityRules],
        make: Callable[[], DesktopReader] = DesktopReader,
        *,
        poll_seconds: float = POLL_SECONDS,
        stale_seconds: float = STALE_SECONDS,
    ) -> None:
        self._rules, self._make = rules, make
        self._poll_seconds, self._stale_seconds = poll_seconds, stale_seconds
        self._told: tuple[dict[str, Told], float] | None = None  # and when that was
        self._has_read, self._ended = threading.Event(), threading.Event()

    def start(self) -> None:
        """Start to ask; once only."""
        threading.Thread(target=self._read, name="desktop-watch", daemon=True).start()

    def await_first_look(self, seconds: float) -> None:
        """Wait until everybody was asked once, for so many seconds at most."""
        self._has_read.wait(seconds)

    def stop(self) -> None:
        """Ask no longer; a service that hangs is not waited for."""
        self._ended.set()

    def fields(self) -> dict[str, object]:
        """Arguments of ``Observation``: what was told last; nothing while the bus hangs."""
        return {name: told.value for name, told in self.latest().items()}

    def latest(self) -> dict[str, Told]:
        """What was told last, by field, with who tells it; nothing while the bus hangs."""
        latest = self._told
        is_stale = latest is None or time.monotonic() - latest[1] > self._stale_seconds
        return {} if latest is None or is_stale else latest[0]

    def _read(self) -> None:
        with contextlib.closing(self._make()) as reader:
            while not self._ended.is_set():
                try:
                    self._told = reader.read(self._rules()), time.monotonic()
                    self._has_read.set()
                except Exception:  # a service answers in a way of its own; what was told before it is soon too old
                    log.exception("the desktop could not be asked")
                self._ended.wait(self._poll_seconds)
