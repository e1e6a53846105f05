"""Updates of the run's manifest while we train: a newer revision, a notice, or that the run is closed."""

from __future__ import annotations

import logging
from collections.abc import Callable

from core.errors import ErrorKind, UserError
from core.protocol.events import Failed, RunFound
from core.worker.process.channel import WorkerChannel
from core.worker.process.supervisor import Supervisor

POLL_SECONDS = 30.0

log = logging.getLogger(__name__)


def follow_manifest(channel: WorkerChannel, poll: Callable[[], RunFound | None], supervisor: Supervisor) -> None:
    """Send every newer manifest that ``poll`` finds, until we leave; leave a run that is closed. Returns at once."""
    supervisor.start("manifest updates", lambda: _follow(channel, poll))


def _follow(channel: WorkerChannel, poll: Callable[[], RunFound | None]) -> None:
    while not channel.leaving.wait(POLL_SECONDS):
        try:
            found = poll()
        except UserError as error:
            log.warning("the manifest is not looked at this time: %s", error)  # a full disk, for example
            continue
        if found is None:
            continue
        channel.emit(found)
        run = found.manifest.run
        if run.state != "open":
            channel.emit(Failed(problem=ErrorKind.RUN_NOT_OPEN.key, detail=run.notice))
            channel.leave()
