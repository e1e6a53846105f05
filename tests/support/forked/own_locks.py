"""Locks that a process forked from a warmed one does not share with the others that are forked from it.

hivemind makes semaphores when it is imported, meant for one peer: a process and the children that it forks. Peers
that are forked from one process which has imported hivemind would all hold the same ones, and whoever is killed while
it has taken one would make all the others wait for ever. As a program, this takes all of them and never lets go.
"""

from __future__ import annotations

import multiprocessing
import sys
from typing import Any

from hivemind.utils.asyncio import _AsyncContextWrapper
from hivemind.utils.mpfuture import MPFuture, SharedBytes

AT_ONCE_SECONDS = 1.0


def make_own_locks() -> None:
    """To be called in the child, before it starts its peer."""
    MPFuture.reset_backend()
    _AsyncContextWrapper.EXECUTOR_LOCK = multiprocessing.Lock()


def take_locks() -> list[bool]:
    """Whether each of hivemind's locks could be taken at once."""
    locks: tuple[Any, ...] = (
        MPFuture._initialization_lock,
        MPFuture._update_lock,
        SharedBytes._lock,
        _AsyncContextWrapper.EXECUTOR_LOCK,
    )
    return [lock.acquire(timeout=AT_ONCE_SECONDS) for lock in locks]


if __name__ == "__main__":
    print(all(take_locks()), flush=True)
    sys.stdin.read()
