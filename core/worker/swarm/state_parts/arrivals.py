"""What has come of a download so far, in memory that an averager's process shares with the worker's.

The bytes are those of the download alone: a peer's DHT and its exchanges receive something all the time.
"""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from hivemind.proto import averaging_pb2

_Result = TypeVar("_Result")


class Arrivals:
    """Written by the averager's process, whose downloads they are; make it before the fork."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("fork")
        self._received: Any = context.RawValue("q", 0)
        self._working: Any = context.RawValue("q", 0)

    @property
    def received_bytes(self) -> int:
        """Of all downloads since the worker began."""
        return int(self._received.value)

    @property
    def is_at_work(self) -> bool:
        """Whether what has come is being written, read or checked, so that nothing else need come."""
        return bool(self._working.value)

    def add(self, message: averaging_pb2.DownloadData) -> int:
        """Count what a donor has sent; how many bytes of it are of use."""
        size = len(message.tensor_part.buffer) + len(message.metadata)
        self._received.value += size
        return size

    async def in_thread(self, work: Callable[..., _Result], *arguments: Any) -> _Result:
        """Do that in another thread, and be at work meanwhile. Raises whatever it does."""
        with self._at_work():
            return await asyncio.get_running_loop().run_in_executor(None, work, *arguments)

    @contextlib.contextmanager
    def _at_work(self) -> Iterator[None]:
        self._working.value += 1
        try:
            yield
        finally:
            self._working.value -= 1
