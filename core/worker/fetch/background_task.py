"""Tasks that run in a thread of their own, because they may wait for another computer; with cancellation."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, Protocol, TypeVar

from core.errors import ErrorKind
from core.localizable import Detail


class ProgressListener(Protocol):
    """Hears how a task goes. ``progress`` and ``check`` are called often, and raise what must end the task."""

    def progress(self, received_bytes: int, total_bytes: int) -> None: ...

    def check(self) -> None: ...

    def warn(self, problem: ErrorKind, detail: Detail) -> None: ...


PROGRESS_SECONDS = 0.25

Result = TypeVar("Result")


class TaskCancelledError(BaseException):
    """The task was cancelled. No Exception, because libraries retry after those."""


class BackgroundTask:
    """The thread's side of a task: it counts ``received_bytes`` of ``total_bytes``, and asks whether to go on."""

    def __init__(self, listener: ProgressListener) -> None:
        self.received_bytes = self.total_bytes = 0
        self._listener, self._is_cancelled = listener, threading.Event()
        self._asked: tuple[float, float | None] = 0.0, None  # seconds before, and since when

    @contextmanager
    def asking(self) -> Iterator[None]:
        """A context in which a server is asked, and asked again; not in several threads at a time."""
        began, (before, _) = time.monotonic(), self._asked
        self._asked = before, began
        try:
            yield
        finally:
            self._asked = before + time.monotonic() - began, None

    @property
    def asked_seconds(self) -> float:
        """How long servers have been asked, all in all; may be read in any thread."""
        before, since = self._asked
        return before if since is None else before + time.monotonic() - since

    def cancel(self) -> None:
        """Let the task end at its next ``check`` or ``wait``."""
        self._is_cancelled.set()

    def check(self) -> None:
        """Raise TaskCancelledError if the task was cancelled."""
        if self._is_cancelled.is_set():
            raise TaskCancelledError

    def wait(self, seconds: float) -> None:
        """Wait so many seconds; raises TaskCancelledError as soon as the task is cancelled."""
        self._is_cancelled.wait(seconds)
        self.check()

    def warn(self, problem: ErrorKind, detail: Detail) -> None:
        """Pass a warning on to the listener, and go on."""
        self._listener.warn(problem, detail)


class _Runner(Generic[Result]):
    def __init__(self, work: Callable[[BackgroundTask], Result], task: BackgroundTask) -> None:
        self._work, self._task = work, task
        self.has_ended = threading.Event()
        self.result: list[Result] = []
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            self.result.append(self._work(self._task))
        except BaseException as error:
            self.error = error
        finally:
            self.has_ended.set()


def run_in_background(work: Callable[[BackgroundTask], Result], listener: ProgressListener) -> Result:
    """Run ``work`` in another thread and wait for its result; ``listener`` hears of it, and may end it by raising.

    Raises what ``work`` or the listener raises.
    """
    task = BackgroundTask(listener)
    runner = _Runner(work, task)
    threading.Thread(target=runner.run, name="background task", daemon=True).start()
    try:
        while not runner.has_ended.wait(PROGRESS_SECONDS):
            listener.check()
            if task.total_bytes:
                listener.progress(task.received_bytes, task.total_bytes)
    finally:
        task.cancel()
    if runner.error is not None:
        raise runner.error
    if task.total_bytes:
        listener.progress(task.received_bytes, task.total_bytes)
    return runner.result[0]
