"""Tells a volunteer how far the run's files are, and ends their download when we leave."""

from __future__ import annotations

from core.errors import ErrorKind
from core.protocol.events import StateLoading, Warned
from core.worker.process.channel import WorkerChannel
from core.worker.swarm import Interrupted


class DownloadProgress:
    """The watch over what a recipe fetches."""

    def __init__(self, channel: WorkerChannel) -> None:
        self._channel = channel

    def progress(self, received_bytes: int, total_bytes: int) -> None:
        """So many bytes of all are here."""
        self._channel.emit(StateLoading(what="files", received_bytes=received_bytes, total_bytes=total_bytes))

    def check(self) -> None:
        """Raises Interrupted when we leave."""
        if self._channel.leaving.is_set():
            raise Interrupted

    def warn(self, problem: ErrorKind, detail: str) -> None:
        """Something is wrong, and is tried again."""
        self._channel.emit(Warned(problem=problem.key, detail=detail))
