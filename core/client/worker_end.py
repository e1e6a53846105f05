"""How a worker has ended, or why there was none, in words for a person who will read its log."""

from __future__ import annotations

from core.errors import ErrorKind, UserError
from core.protocol.events import Failed

_KILLED = -9  # by SIGKILL, which Windows does not know


def unstartable(error: UserError | OSError) -> Failed:
    """Why no worker could be started."""
    if isinstance(error, UserError):
        return Failed(problem=error.problem.key, detail=error.detail)
    reason = error.strerror or type(error).__name__
    return Failed(problem=ErrorKind.ENGINE_MISSING.key, detail=f"{error.filename}: {reason}.")


def manner(returncode: int | None) -> str:
    """How the worker ended, by its exit code."""
    if returncode == _KILLED:
        return "The system killed it, as it does where memory runs out."
    if returncode is not None and returncode < 0:
        return f"It was killed by signal {-returncode}."
    return f"Its exit code was {returncode}."
