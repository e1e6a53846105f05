"""The list of recent runs, kept up to date while a session goes on."""

from __future__ import annotations

from pathlib import Path

from core.client.session import Session
from core.errors import ErrorKind, UserError
from core.protocol.commands import Join
from core.protocol.events import RunFound
from core.records.recent_runs import MAX_REASON_CHARACTERS, LastState, RecentRun, RecentRuns

MAX_NAME_CHARACTERS = 200


class RecentRunRecorder:
    """Puts the session's run at the top of the list whenever its state is a new one, and when it has ended."""

    def __init__(self, path: Path) -> None:
        self._runs = RecentRuns(path)
        self._recorded: tuple[str, LastState, str, bool] | None = None

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
        reason = _reason(run) if state == "finished" else ""
        recorded = (run.manifest.run.id, state, reason, session.phase == "ended")  # the list says when it was left
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
                reason=reason,
                has_helped=session.contributed_samples > 0 or self._has_helped(run),
            )
        )
        return True

    def _has_helped(self, run: RunFound) -> bool:
        """Whether it is on the list, and this computer had computed something for it before."""
        key = run.manifest.run.id, run.organiser
        return any(each.has_helped for each in self.runs if (each.run_id, each.organiser) == key)


def _reason(run: RunFound) -> str:
    """What the organiser says of the end of a run."""
    return (run.order.reason or run.manifest.run.notice)[:MAX_REASON_CHARACTERS]


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
    has_drained = session.order.state == "draining" and session.phase == "ended"  # nobody is left to hear more of it
    if session.chosen.manifest.run.state == "finished" or session.order.state == "ended" or has_drained:
        return "finished"
    if session.pause is not None:
        return "paused"
    return "trained" if session.contributed_samples or session.phase == "training" else None
