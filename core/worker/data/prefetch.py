"""Reads ahead in a thread of its own, so that training does not wait for the disk or the network."""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from core.errors import ErrorKind
from core.worker.fetch.background_task import BackgroundTask, ProgressListener, TaskCancelledError

Item = TypeVar("Item")

LOOK_SECONDS = 0.25
WORTH_TELLING_SECONDS = 10.0


class Waited:
    """How long training has stood still for want of data; a person is told once each time."""

    def __init__(self, watch: ProgressListener) -> None:
        self._watch, self._since, self._is_told = watch, time.monotonic(), False

    def note(self) -> None:
        """It still does; raises what ``watch.check`` raises."""
        self._watch.check()
        seconds = time.monotonic() - self._since
        if seconds > WORTH_TELLING_SECONDS and not self._is_told:
            self._is_told = True
            self._watch.warn(ErrorKind.FILES_UNREACHABLE, f"Training has waited {seconds:.0f} s for data.")


class Prefetch(Generic[Item]):
    """At most ``most`` items are read ahead. The thread begins with the first ``take``: what is forked
    before then has no part in it.
    """

    def __init__(self, source: Callable[[BackgroundTask], Iterator[Item]], most: int, watch: ProgressListener) -> None:
        self._source, self._watch, self._errand = source, watch, BackgroundTask(watch)
        self._ahead: queue.Queue[Item | BaseException] = queue.Queue(most)
        self._thread = threading.Thread(target=self._read, name="reading ahead", daemon=True)
        self._has_begun = False
        self._error: BaseException | None = None

    def take(self) -> Item:
        """The next one; raises what the reading thread has met, or what ``watch.check`` raises."""
        if not self._has_begun:
            self._has_begun = True
            self._thread.start()
        waited = Waited(self._watch)
        while self._error is None:
            try:
                found = self._ahead.get(timeout=LOOK_SECONDS)
            except queue.Empty:
                waited.note()
                continue
            if isinstance(found, BaseException):
                self._error = found
                raise found
            return found
        raise self._error

    def close(self) -> None:
        """End the thread at its next chance; it holds nobody up until then."""
        self._errand.abandon()

    def _read(self) -> None:
        with contextlib.suppress(TaskCancelledError):
            try:
                for item in self._source(self._errand):
                    self._put(item)
            except Exception as error:
                self._put(error)

    def _put(self, item: Item | BaseException) -> None:
        while True:
            self._errand.check()
            try:
                return self._ahead.put(item, timeout=LOOK_SECONDS)
            except queue.Full:
                continue
