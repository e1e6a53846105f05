"""Work that another thread does, because it may have to wait for somebody else's computer."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from core.errors import ErrorKind


class ProgressListener(Protocol):
    """``progress`` and ``check`` are called often, and raise what must end the work, as when we leave."""

    def progress(self, received_bytes: int, total_bytes: int) -> None: ...

    def check(self) -> None: ...

    def warn(self, problem: ErrorKind, detail: str) -> None: ...


TELL_SECONDS = 0.25

Result = TypeVar("Result")


class TaskCancelledError(BaseException):
    """Nobody wants the work any more; no Exception, because libraries try again after those."""


class BackgroundTask:
    """What the working thread knows of those who wait: how far it is, for them, and whether to go on."""

    def __init__(self, watch: ProgressListener) -> None:
        self.received_bytes = self.total_bytes = 0
        self._watch, self._is_abandoned = watch, threading.Event()

    def abandon(self) -> None:
        """Let the work end at its next chance."""
        self._is_abandoned.set()

    def check(self) -> None:
        """Raises Abandoned where nobody waits any more."""
        if self._is_abandoned.is_set():
            raise TaskCancelledError

    def wait(self, seconds: float) -> None:
        """So long at the most; raises Abandoned."""
        self._is_abandoned.wait(seconds)
        self.check()

    def warn(self, problem: ErrorKind, detail: str) -> None:
        """Tell a person, and go on."""
        self._watch.warn(problem, detail)


class _Runner(Generic[Result]):
    def __init__(self, work: Callable[[BackgroundTask], Result], errand: BackgroundTask) -> None:
        self._work, self._errand = work, errand
        self.has_ended = threading.Event()
        self.result: list[Result] = []
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            self.result.append(self._work(self._errand))
        except BaseException as error:
            self.error = error
        finally:
            self.has_ended.set()


def send(work: Callable[[BackgroundTask], Result], watch: ProgressListener) -> Result:
    """Have it done in another thread; meanwhile tell ``watch`` how far it is, which may end it by raising."""
    errand = BackgroundTask(watch)
    runner = _Runner(work, errand)
    threading.Thread(target=runner.run, name="errand", daemon=True).start()
    try:
        while not runner.has_ended.wait(TELL_SECONDS):
            watch.check()
            if errand.total_bytes:
                watch.progress(errand.received_bytes, errand.total_bytes)
    finally:
        errand.abandon()
    if runner.error is not None:
        raise runner.error
    if errand.total_bytes:
        watch.progress(errand.received_bytes, errand.total_bytes)
    return runner.result[0]
