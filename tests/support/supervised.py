"""A supervisor for tests within one process: what it would send is kept, and nothing ends."""

from __future__ import annotations

import threading

from core.protocol.messages import AnyEvent, Failed
from core.worker.process.supervisor import Supervisor


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
