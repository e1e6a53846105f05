"""The watchdog over the processes of a swarm: the worker fails as soon as one of them has ended."""

from __future__ import annotations

from core.errors import ErrorKind, UserError
from core.worker.process.supervisor import Supervisor
from core.worker.swarm import Swarm


def watch_child_processes(swarm: Swarm, supervisor: Supervisor) -> None:
    """Watch the DHT's process, p2pd and the averagers in the background, until they may end; returns at once.

    hivemind waits for ever for a process that is gone, so the worker ends with ``ErrorKind.WORKER_CRASHED``.
    """

    def watch() -> None:
        if ended := swarm.children.wait_for_exit():
            raise UserError(ErrorKind.WORKER_CRASHED, f"{ended} has ended.")

    supervisor.start("child processes", watch)
