"""Stand-ins that record: a listener of fetched files, and a supervisor that ends no process."""

from __future__ import annotations

import threading

from core.errors import ErrorKind
from core.localizable import Detail
from core.protocol.events import AnyEvent, Failed
from core.worker.process.supervisor import Supervisor


class RecordingListener:
    """Notes what it is told; ``leave`` ends the work as a worker does that leaves."""

    def __init__(self) -> None:
        self.told: list[tuple[int, int]] = []
        self.warned: list[tuple[ErrorKind, str]] = []
        self.has_warned = threading.Event()
        self.is_leaving = False

    def progress(self, received_bytes: int, total_bytes: int) -> None:
        """Note it."""
        self.told.append((received_bytes, total_bytes))

    def check(self) -> None:
        """Raises KeyboardInterrupt once we leave."""
        if self.is_leaving:
            raise KeyboardInterrupt

    def warn(self, problem: ErrorKind, detail: Detail) -> None:
        """Note it."""
        self.warned.append((problem, str(detail)))
        self.has_warned.set()


class RecordingSink:
    """Keeps the events that the worker's channel would send."""

    def __init__(self) -> None:
        self.events: list[AnyEvent] = []

    def emit(self, event: AnyEvent) -> None:
        """Keep it."""
        self.events.append(event)

    def close(self) -> None:
        """There is no pipe."""

    @property
    def failed(self) -> list[Failed]:
        """Every reason why the worker would have ended."""
        return [event for event in self.events if isinstance(event, Failed)]


class Supervised:
    """A supervisor without pauses; ``exit_code`` is set once it would have ended the process."""

    def __init__(self) -> None:
        self.sink = RecordingSink()
        self.exit_code: int | None = None
        self.has_exited = threading.Event()
        self.supervisor = Supervisor(self.sink, exit_process=self._exit, first_pause_seconds=0.0)

    def _exit(self, code: int) -> None:
        self.exit_code = code
        self.has_exited.set()
