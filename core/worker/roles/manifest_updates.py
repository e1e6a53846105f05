"""What a run's organiser says while we train: a newer revision, a notice, or that the run is over."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from core.errors import ErrorKind
from core.protocol.events import Failed, RunFound
from core.worker.process.channel import WorkerChannel

NEWS_SECONDS = 30.0

log = logging.getLogger(__name__)


def follow_news(channel: WorkerChannel, look: Callable[[], RunFound | None]) -> None:
    """Tell what ``look`` finds new, until we leave, and leave a run that is closed; returns at once."""
    threading.Thread(target=_follow, args=(channel, look), name="news", daemon=True).start()


def _follow(channel: WorkerChannel, look: Callable[[], RunFound | None]) -> None:
    while not channel.leaving.wait(NEWS_SECONDS):
        try:
            found = look()
        except Exception:
            log.exception("no news this time")
            continue
        if found is None:
            continue
        channel.emit(found)
        run = found.manifest.run
        if run.state != "open":
            channel.emit(Failed(problem=ErrorKind.RUN_NOT_OPEN.key, detail=run.notice))
            channel.leave()
