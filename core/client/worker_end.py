"""How a worker has ended, or why there was none, in words for a person who will read its log."""

from __future__ import annotations

from pathlib import Path

from core.client.session import Session
from core.errors import ErrorKind, UserError
from core.localizable import LocalizedText, join_sentences, localized
from core.protocol.events import Failed

_KILLED = -9  # by SIGKILL, which Windows does not know


def unstartable(error: UserError | OSError) -> Failed:
    """Why no worker could be started."""
    if isinstance(error, UserError):
        return Failed(problem=error.problem.key, detail=error.detail)
    reason = error.strerror or type(error).__name__
    return Failed(problem=ErrorKind.ENGINE_MISSING.key, detail=f"{error.filename}: {reason}.")


def missing_again(run_id: str, *, is_there: bool) -> Failed:
    """After a crash the run of before was not found: only one that another organiser publishes, or none."""
    problem = ErrorKind.ORGANISER_CHANGED if is_there else ErrorKind.NO_SUCH_RUN
    return Failed(problem=problem.key, detail=localized("%1, looked for again after a crash.", run_id))


def last_words(session: Session, returncode: int | None, log: Path) -> Failed:
    """Why there is no other attempt; a worker that never said hello is an engine that does not start."""
    crash = session.crash or Failed(problem=ErrorKind.WORKER_CRASHED.key, detail=_manner(returncode))
    problem = ErrorKind.ENGINE_MISSING.key if session.hello is None else crash.problem
    return Failed(problem=problem, detail=join_sentences(crash.detail, localized("The log is %1.", log)))


def _manner(returncode: int | None) -> LocalizedText:
    """How the worker ended, by its exit code."""
    if returncode == _KILLED:
        return localized("The system killed it, as it does where memory runs out.")
    if returncode is not None and returncode < 0:
        return localized("It was killed by signal %1.", -returncode)
    return localized("Its exit code was %1.", returncode)
