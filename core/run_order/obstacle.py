"""What is in the way of a run, as its session tells: a value of the protocol, and no words."""

from __future__ import annotations

from core.client.restart_policy import CRASHES, GPU_FAILURES, PASSING
from core.client.session import Session
from core.errors import ErrorKind
from core.protocol.client_events import Obstacle
from core.protocol.events import RunFound
from core.records.consents import Consents

PATIENCE_SECONDS = 180.0
"""For how long a run is looked for that cannot be reached, before another one takes its place."""
_MOST_CRASHES = 5
_UNREACHABLE = frozenset(
    {
        ErrorKind.NOBODY_ANSWERS,
        ErrorKind.NO_SUCH_RUN,
        ErrorKind.SWARM_LOST,
        ErrorKind.CLOCK_WRONG,
        ErrorKind.STATE_NOT_LOADED,
        ErrorKind.FILES_UNREACHABLE,
    }
)
_UNFIT = frozenset(
    {
        ErrorKind.OUT_OF_MEMORY,
        ErrorKind.NO_ROOM,
        ErrorKind.DISK_FULL,
        ErrorKind.DEVICE_UNSUITED,
        ErrorKind.NO_SUCH_DEVICE,
        ErrorKind.GPU_UNUSABLE,
    }
)


def obstacle_of_problem(problem: ErrorKind, run: RunFound | None) -> Obstacle:
    """What a problem that has ended a session says of its run."""
    if problem is ErrorKind.RUN_NOT_OPEN:
        return (obstacle_of_organiser(run) if run is not None else None) or "finished"
    if problem is ErrorKind.RUN_CHANGED:
        return "changed"
    if problem in _UNREACHABLE:
        return "unreachable"
    return "unfit" if problem in _UNFIT else "failed"


def obstacle_of_run(run: RunFound | None, consents: Consents) -> Obstacle | None:
    """What is in the way of a run as it was found, ``None`` for nothing; ``run`` is ``None`` where it was not."""
    if run is None:
        return "unreachable"
    if (wish := obstacle_of_organiser(run)) is not None:
        return wish
    return None if consents.cover(run) else "changed"


def obstacle_of_organiser(run: RunFound) -> Obstacle | None:
    """Whether its organiser has ended or paused a run, by the run file or by ``steer``; ``None`` where it is open."""
    if run.manifest.run.state == "finished" or run.order.state == "ended":
        return "finished"
    is_waiting = run.manifest.run.state == "paused" or run.order.state in ("paused", "draining")
    return "paused" if is_waiting else None


class ObstacleWatch:
    """Follows the session of the present run; times are in seconds, of one clock."""

    def __init__(self, patience_seconds: float = PATIENCE_SECONDS) -> None:
        self._patience_seconds = patience_seconds
        self._away_since: float | None = None

    def look(self, session: Session, now: float) -> Obstacle | None:
        """What is in the way of the session's run; ``None`` where nothing is, or it is not known yet."""
        self._note_outage(session, now)
        if session.problem is not None:
            return obstacle_of_problem(session.problem, session.chosen)
        if session.chosen is not None and (wish := obstacle_of_organiser(session.chosen)) is not None:
            return wish
        if session.phase == "ended":
            return "failed"
        if session.is_changed and session.phase == "found" and session.is_search_finished:
            return "changed"
        restarting = session.restarting
        has_crashed = restarting is not None and ErrorKind.from_key(restarting.problem) in CRASHES | GPU_FAILURES
        if restarting is not None and has_crashed and restarting.attempt > _MOST_CRASHES:
            return "failed"
        if restarting is not None and ErrorKind.from_key(restarting.problem) is ErrorKind.DISK_FULL:
            return "unfit"
        is_away = self._away_since is not None and now >= self._away_since + self._patience_seconds
        return "unreachable" if is_away else None

    def _note_outage(self, session: Session, now: float) -> None:
        restarting = session.restarting
        if restarting is not None and ErrorKind.from_key(restarting.problem) in PASSING:
            self._away_since = now if self._away_since is None else self._away_since
        elif session.phase != "connecting":
            self._away_since = None
