"""End at once, whatever this worker waits for: the client begins anew with another one."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable

from core.errors import ErrorKind, UserError
from core.protocol.events import AnyEvent, Failed
from core.worker.process.channel import WorkerChannel
from core.worker.swarm import Swarm

log = logging.getLogger(__name__)


def watch_child_processes(swarm: Swarm, channel: WorkerChannel) -> None:
    """Until it leaves; returns at once. hivemind would wait for ever for a process that is gone."""
    threading.Thread(target=_look_after, args=(swarm, channel), name="guard", daemon=True).start()


def _look_after(swarm: Swarm, channel: WorkerChannel) -> None:
    if lost := swarm.children.wait_for_exit():
        give_up(UserError(ErrorKind.WORKER_CRASHED, f"{lost} has ended."), channel, swarm.children.say_goodbye)


def give_up(error: UserError, channel: WorkerChannel, say_goodbye: Callable[[], None]) -> None:
    """Say why, and do not come back from here."""
    log.error("giving up: %s", error)
    channel.emit(Failed(problem=error.problem.key, detail=error.detail))
    end(1, channel, say_goodbye)


def end(code: int, channel: WorkerChannel, say_goodbye: Callable[[], None], *last_words: AnyEvent) -> None:
    """Say goodbye and end this process, whatever its main thread waits for."""
    say_goodbye()
    for event in last_words:
        channel.emit(event)
    channel.close()
    os._exit(code)
