"""How a worker has ended, or why there was none, in words for a person who will read its log."""

from __future__ import annotations

import errno
from pathlib import Path

from core.client.session import Session
from core.errors import ErrorKind, UserError
from core.localizable import LocalizedText, join_sentences, localized
from core.protocol.events import Failed

_KILLED = -9  # by SIGKILL, which Windows does not know
_NO_PROGRAM = (errno.ENOENT, errno.ENOTDIR, errno.EACCES, errno.EPERM, errno.ENOEXEC)


def unstartable(error: UserError | OSError) -> Failed:
    """Why no worker could be started: the engine is none, or the system had no room for another process just then."""
    if isinstance(error, UserError):
        return Failed(problem=error.problem.key, detail=error.detail)
    reason = error.strerror or type(error).__name__
    problem = ErrorKind.ENGINE_MISSING if error.errno in _NO_PROGRAM else ErrorKind.WORKER_CRASHED
    where = "" if error.filename is None else f"{error.filename}: "
    return Failed(problem=problem.key, detail=f"{where}{reason}.")


def missing_again(run_id: str, *, is_there: bool) -> Failed:
    """After a crash the run of before was not found: only one that another organiser publishes, or none."""
    problem = ErrorKind.ORGANISER_CHANGED if is_there else ErrorKind.NO_SUCH_RUN
    return Failed(problem=problem.key, detail=localized("%1, looked for again after a crash.", run_id))


def has_never_spoken(session: Session, returncode: int | None) -> bool:
    """Whether a worker has run and ended without a hello: its engine does not start, and will not the next time."""
    return session.hello is None and returncode is not None


def last_words(session: Session, returncode: int | None, log: Path) -> Failed:
    """Why there is no other attempt."""
    crash = session.crash or Failed(problem=ErrorKind.WORKER_CRASHED.key, detail=_manner(returncode))
    problem = ErrorKind.ENGINE_MISSING.key if has_never_spoken(session, returncode) else crash.problem
    return Failed(problem=problem, detail=join_sentences(crash.detail, localized("The log is %1.", log)))


def _manner(returncode: int | None) -> LocalizedText:
    """How the worker ended, by its exit code."""
    if returncode == _KILLED:
        return localized("The system killed it, as it does where memory runs out.")
    if returncode is not None and returncode < 0:
        return localized("It was killed by signal %1.", -returncode)
    return localized("Its exit code was %1.", returncode)
