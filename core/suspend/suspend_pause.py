"""The pause of a client while the computer is suspended, which ends with the suspend."""

from __future__ import annotations

from collections.abc import Callable

from core.client.session import AT_WORK, Session
from core.protocol.client_events import Pause, PauseAsked, ResumeAsked


class SuspendPause:
    """Has a client leave its run before a suspend and join it again afterwards; for the thread of that client.

    ``session`` returns the client's session, and ``ask`` has the client handle a wish; after every change of the
    session `go_on` is to be called.
    """

    def __init__(self, session: Callable[[], Session], ask: Callable[[PauseAsked | ResumeAsked], None]) -> None:
        self._session, self._ask = session, ask
        self._is_resume_due = False

    @property
    def may_suspend(self) -> bool:
        """Whether the computer may be suspended without anybody in the swarm waiting for this worker."""
        return self._session().phase not in (*AT_WORK, "leaving")

    def prepare(self, *, is_at_work: bool) -> None:
        """Leave the run because the computer is about to be suspended."""
        if is_at_work:
            self._ask(PauseAsked(Pause("sleep")))

    def end(self, *, is_at_work: bool) -> None:
        """Join the run again that was left for a suspend, or that was connected all through it."""
        if is_at_work and not self._session().restarting:
            self._ask(PauseAsked(Pause("sleep")))
        self._is_resume_due = True
        self.go_on()

    def forget(self) -> None:
        """Leave a pause as it is after the suspend: the person wishes it."""
        self._is_resume_due = False

    def go_on(self) -> None:
        """Resume after a suspend, as soon as the worker has left."""
        pause = self._session().pause
        if self._is_resume_due and (pause is None or self._session().phase == "paused"):
            self._is_resume_due = False
            if pause is not None and pause.reason == "sleep":
                self._ask(ResumeAsked())
