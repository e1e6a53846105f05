"""The list of recent runs, kept up to date while a session goes on."""

from __future__ import annotations

from pathlib import Path

from core.client.session import Session
from core.errors import ErrorKind, UserError
from core.protocol.commands import Join
from core.records.recent_runs import LastState, RecentRun, RecentRuns

MAX_NAME_CHARACTERS = 200


class RecentRunRecorder:
    """Puts the session's run at the top of the list whenever its state is a new one, and when it has ended."""

    def __init__(self, path: Path) -> None:
        self._runs = RecentRuns(path)
        self._recorded: tuple[str, LastState, bool] | None = None

    @property
    def runs(self) -> tuple[RecentRun, ...]:
        """The recent runs, newest first."""
        return self._runs.all()

    @property
    def error(self) -> UserError | None:
        """Why the list cannot be written at the moment, if it cannot."""
        return self._runs.trouble

    @property
    def quarantined_path(self) -> Path | None:
        """Where a damaged list was moved to, if it was damaged."""
        return self._runs.aside

    def forget(self, run_id: str, organiser: str) -> None:
        """Take that run off the list."""
        self._runs.forget(run_id, organiser)

    def record(self, session: Session, at: float) -> bool:
        """Record the session's run as it is at that time (seconds since 1970); false where nothing is new."""
        run, opening, state = session.chosen, session.opening, _last_state(session)
        if run is None or state is None or not isinstance(opening, Join):
            return False
        recorded = (run.manifest.run.id, state, session.phase == "ended")  # the list says when it was left
        if recorded == self._recorded:
            return False
        self._recorded = recorded
        self._runs.remember(
            RecentRun(
                run_id=run.manifest.run.id,
                name=run.manifest.run.name[:MAX_NAME_CHARACTERS],
                organiser=run.organiser,
                address=_address_of(opening),
                last_state=state,
                at=at,
            )
        )
        return True


def _address_of(opening: Join) -> str:
    """The address that the session was opened with, as it can be pasted again."""
    address = " ".join(opening.addresses)
    return f"{address} --run_id {opening.run_id}" if opening.run_id else address


def _last_state(session: Session) -> LastState | None:
    """How the list names the state of the run; ``None`` before anything has come of it."""
    if session.problem is ErrorKind.RUN_NOT_OPEN:
        return "finished"
    if session.problem is not None:
        return "failed" if session.consent else "refused"
    if session.consent is None or session.chosen is None:
        return None
    if session.chosen.manifest.run.state == "finished" or session.order.state == "ended":
        return "finished"
    if session.pause is not None:
        return "paused"
    return "trained" if session.contributed_samples or session.phase == "training" else None
