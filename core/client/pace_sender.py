"""Tells a worker at which pace to work, as the owner's rules have decided, and how often to report."""

from __future__ import annotations

from core.availability.pacing import FULL
from core.client.session import Session
from core.engine.worker_process import WorkerProcess
from core.protocol.commands import LEAST_LINE_RATE, REPORT_SECONDS, Join, SetPace


class PaceSender:
    """Sends one worker the pace whenever it is another one; a worker begins without any limit."""

    def __init__(self) -> None:
        self._sent, self._line_sharers, self._report_seconds = SetPace(), 1, REPORT_SECONDS
        self._latest: tuple[WorkerProcess | None, Session] = (None, Session())

    def begin(self, worker: WorkerProcess, session: Session) -> None:
        """Send the session's pace to a new worker."""
        self._sent = SetPace()
        self.send(worker, session)

    def send(self, worker: WorkerProcess | None, session: Session) -> None:
        """Send the session's pace, unless the worker knows it; an organiser's worker is not slowed."""
        self._latest, now = (worker, session), session.pace if isinstance(session.opening, Join) else FULL
        pace = SetPace(
            compute_share=now.compute_share,
            upload_bytes_a_second=self._part_of(now.upload_rate),
            download_bytes_a_second=self._part_of(now.download_rate),
            report_seconds=self._report_seconds,
        )
        if worker is not None and pace != self._sent:
            self._sent = pace
            worker.send(pace)

    def share_line(self, workers: int) -> None:
        """The limits of the line are for so many workers together, this one included."""
        if workers != self._line_sharers:
            self._line_sharers = workers
            self.send(*self._latest)

    def report_every(self, seconds: float) -> None:
        """Ask the worker, and each one after it, for no more than one report of progress in so many seconds."""
        if seconds != self._report_seconds:
            self._report_seconds = seconds
            self.send(*self._latest)

    def _part_of(self, rate: int | None) -> int | None:
        return None if rate is None else max(LEAST_LINE_RATE, rate // self._line_sharers)
