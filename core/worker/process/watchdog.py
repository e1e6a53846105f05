"""The watchdog over the processes of a swarm: the worker fails as soon as one of them has ended."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from core.errors import ErrorKind, UserError
from core.localizable import Detail, localized
from core.worker.process.supervisor import Supervisor
from core.worker.swarm import Swarm

EXIT_SECONDS = 1.0  # between the end of a process's pipes and of the process itself
_POLL_SECONDS = 0.05


def watch_child_processes(swarm: Swarm, supervisor: Supervisor) -> None:
    """Watch the DHT's process, p2pd and the averagers in the background, until they may end; returns at once.

    hivemind waits for ever for a process that is gone, so the worker ends with ``ErrorKind.WORKER_CRASHED``.
    """

    def watch() -> None:
        if exited := swarm.children.wait_for_exit():
            raise _error_of(exited)

    supervisor.start("child processes", watch)


@contextmanager
def blame_exited_processes(swarm: Swarm) -> Iterator[None]:
    """Raise ``ErrorKind.WORKER_CRASHED`` for an unforeseen error of the block, where one of the processes has ended.

    The loop may notice it before the watchdog does, as an error of hivemind's that says nothing of a process.
    """
    try:
        yield
    except UserError:
        raise
    except Exception as error:
        deadline = time.monotonic() + EXIT_SECONDS
        while not (exited := swarm.children.exited()) and time.monotonic() < deadline:
            time.sleep(_POLL_SECONDS)
        if exited:
            raise _error_of(exited) from error
        raise


def _error_of(exited: Detail) -> UserError:
    return UserError(ErrorKind.WORKER_CRASHED, localized("%1 has ended.", exited))
