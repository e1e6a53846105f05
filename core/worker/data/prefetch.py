"""Prefetching of samples in a thread, so that training does not wait for the disk or the network."""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from core.errors import ErrorKind
from core.localizable import localized
from core.worker.fetch.background_task import BackgroundTask, ProgressListener, TaskCancelledError

Item = TypeVar("Item")

POLL_SECONDS = 0.25
WARN_AFTER_SECONDS = 10.0


class StallTimer:
    """Measures how long training has waited for data, and warns once for each long wait."""

    def __init__(self, listener: ProgressListener) -> None:
        self._listener, self._since, self._is_told = listener, time.monotonic(), False

    def check(self) -> None:
        """Warn if it has been long; raises what ``listener.check`` raises."""
        self._listener.check()
        seconds = time.monotonic() - self._since
        if seconds > WARN_AFTER_SECONDS and not self._is_told:
            self._is_told = True
            self._listener.warn(
                ErrorKind.FILES_UNREACHABLE, localized("Training has waited %1 s for data.", f"{seconds:.0f}")
            )


class Prefetch(Generic[Item]):
    """Reads at most ``limit`` items of ``source`` ahead of their use, in a background thread.

    The thread starts with the first ``take``: a process that is forked before then has no part in it.
    """

    def __init__(
        self, source: Callable[[BackgroundTask], Iterator[Item]], limit: int, listener: ProgressListener
    ) -> None:
        self._source, self._listener, self._task = source, listener, BackgroundTask(listener)
        self._ahead: queue.Queue[Item | BaseException] = queue.Queue(limit)
        self._thread = threading.Thread(target=self._read, name="reading ahead", daemon=True)
        self._has_started = False
        self._error: BaseException | None = None

    def take(self) -> Item:
        """The next item; raises what ``source`` has raised, or what ``listener.check`` raises."""
        if not self._has_started:
            self._has_started = True
            self._thread.start()
        stall = StallTimer(self._listener)
        while self._error is None:
            try:
                found = self._ahead.get(timeout=POLL_SECONDS)
            except queue.Empty:
                stall.check()
                continue
            if isinstance(found, BaseException):
                self._error = found
                raise found
            return found
        raise self._error

    def close(self) -> None:
        """Let the thread end at its next item, without waiting for it."""
        self._task.cancel()

    def _read(self) -> None:
        with contextlib.suppress(TaskCancelledError):
            try:
                for item in self._source(self._task):
                    self._put(item)
            except TaskCancelledError:
                raise
            except BaseException as error:  # whatever it is, ``take`` waits for it
                self._put(error)

    def _put(self, item: Item | BaseException) -> None:
        while True:
            self._task.check()
            try:
                return self._ahead.put(item, timeout=POLL_SECONDS)
            except queue.Full:
                continue
