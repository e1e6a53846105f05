"""What other programs tell over D-Bus, asked every few seconds in a thread of its own: nobody else waits for them."""

from __future__ import annotations

from collections.abc import Callable

from core.availability.look_thread import STALE_SECONDS, LookThread
from core.availability.rules import AvailabilityRules
from core.observers.desktop_bus.reader import DesktopReader, Told

POLL_SECONDS = 5.0


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
        self._thread: LookThread[dict[str, Told]] | None = None

    def start(self) -> None:
        """Start to ask; once only."""
        self._thread = LookThread("desktop-watch", self._make, self._read, self._poll_seconds)

    def await_first_look(self, seconds: float) -> None:
        """Wait until everybody was asked once, for so many seconds at most."""
        if self._thread is not None:
            self._thread.await_first_look(seconds)

    def stop(self) -> None:
        """Ask no longer; a service that hangs is not waited for."""
        if self._thread is not None:
            self._thread.end()

    def fields(self) -> dict[str, object]:
        """Arguments of ``Observation``: what was told last; nothing while the bus hangs."""
        return {name: told.value for name, told in self.latest().items()}

    def latest(self) -> dict[str, Told]:
        """What was told last, by field, with who tells it; nothing while the bus hangs."""
        look = None if self._thread is None else self._thread.last_look
        return {} if look is None or look.age_seconds > self._stale_seconds else look.seen

    def _read(self, reader: DesktopReader) -> tuple[dict[str, Told], float]:
        return reader.read(self._rules()), self._poll_seconds
