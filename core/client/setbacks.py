"""The part of the reducer for a worker that fails or ends: what it means, and whether another one follows."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from core.client.pausing import as_rules_ask, asked_again, begun_anew
from core.client.restart_policy import CRASHES, GPU_FAILURES, OUTAGES, RECONNECT_CAUSES
from core.client.session import Phase, Session
from core.errors import ErrorKind
from core.protocol.client_events import RestartDue, WorkerExited
from core.protocol.events import Failed, Left, Restarting

Setback = Failed | Left | WorkerExited | Restarting | RestartDue


def after_setback(session: Session, event: Setback) -> Session:
    """The session after the worker has failed, left or ended, or is to be started again."""
    match event:
        case Failed():
            return _after_failure(session, event)
        case Left():
            return replace(session, contributed_samples=session.contributed_with(event), left=event)
        case WorkerExited():
            return _after_exit(session)
        case Restarting():
            return begun_anew(session, restarting=event) if session.is_crashed else session
        case RestartDue():
            due = session.restarting is not None
            return replace(session, is_worker_running=True, restarting=None) if due else session
        case _:
            assert_never(event)


def _after_failure(session: Session, event: Failed) -> Session:
    """What another attempt may mend is a crash; the rest is final, and the first final problem counts.

    A worker that fails while it leaves for a pause has ended all the same: resuming will show what is wrong.
    """
    if session.problem is not None or session.pause is not None or session.phase in ("idle", "ended"):
        return session
    problem = ErrorKind.from_key(event.problem)
    has_worked = session.joined_run_id is not None
    may_pass = problem in CRASHES | RECONNECT_CAUSES or (has_worked and problem in OUTAGES | GPU_FAILURES)
    may_pass |= problem is ErrorKind.DISK_FULL and (has_worked or session.waits_for_room)
    if may_pass and session.is_worker_running and session.may_restart:
        begun = asked_again(session) if problem is ErrorKind.RUN_CHANGED else session
        return replace(begun, crash=event)
    phase: Phase = session.phase if session.is_worker_running else "ended"
    return replace(session, problem=problem, problem_detail=event.detail, phase=phase, restarting=None)


def _after_exit(session: Session) -> Session:
    gone = replace(
        session,
        is_worker_running=False,
        earlier_samples=session.contributed_samples,
        earlier_traffic=session.traffic,
    )
    if session.pause is not None:
        return as_rules_ask(replace(begun_anew(gone), phase="paused"))
    return replace(gone, phase="ended") if _is_end(session) else gone


def _is_end(session: Session) -> bool:
    """Whether a worker that exits now has come to its end, rather than crashed, or left to begin anew."""
    said_so = (session.left is not None and session.crash is None) or session.problem is not None
    return session.phase in ("idle", "leaving", "ended") or said_so or session.is_answered
