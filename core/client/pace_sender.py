"""Tells a volunteer's worker at which pace to work, as the owner's rules have decided."""

from __future__ import annotations

from core.client.session import Session
from core.engine.worker_process import WorkerProcess
from core.protocol.commands import Join, SetPace


class PaceSender:
    """Sends one worker the pace whenever it is another one; a worker begins without any limit."""

    def __init__(self) -> None:
        self._sent = SetPace()

    def send(self, worker: WorkerProcess | None, session: Session) -> None:
        """Send the session's pace, unless the worker knows it; an organiser's worker is not slowed."""
        now = session.pace
        pace = SetPace(
            compute_share=now.compute_share,
            upload_bytes_a_second=now.upload_rate,
            download_bytes_a_second=now.download_rate,
        )
        if worker is not None and isinstance(session.opening, Join) and pace != self._sent:
            self._sent = pace
            worker.send(pace)
