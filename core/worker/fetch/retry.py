"""Retries with exponential back-off, and downloads that resume however often they are cut."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from core.errors import ErrorKind, UserError
from core.localizable import localized
from core.security.verified_download import RefusedError, Remote, UnreachableError, accept
from core.worker.fetch.background_task import BackgroundTask
from core.worker.fetch.fetcher import fetch_rest
from core.worker.fetch.file_store import storage_errors_in_words

FIRST_PAUSE_SECONDS = 1.0
LONGEST_PAUSE_SECONDS = 30.0
WARN_AFTER_FAILURES = 2  # in a row; a single one is nothing

Answer = TypeVar("Answer")

log = logging.getLogger(__name__)


def retry_with_backoff(attempt: Callable[[], Answer], task: BackgroundTask, what: str) -> Answer:
    """The result of ``attempt`` as soon as it does not raise UnreachableError; warns once.

    Raises TaskCancelledError, and whatever else ``attempt`` raises.
    """
    failures = 0
    pause = FIRST_PAUSE_SECONDS
    with task.asking():
        while True:
            task.check()
            before = task.received_bytes
            try:
                return attempt()
            except UnreachableError as error:
                log.info("%s: %s", what, error)
            if task.received_bytes > before:
                failures, pause = 0, FIRST_PAUSE_SECONDS
            failures += 1
            if failures == WARN_AFTER_FAILURES:
                task.warn(ErrorKind.FILES_UNREACHABLE, f"{what}.")
            task.wait(pause)
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)


def download(remote: Remote, part: Path, target: Path, task: BackgroundTask) -> None:
    """Fetch a file into ``part``, resuming after every cut; whole and verified it becomes ``target``.

    Raises UserError for a file of another size or hash, and TaskCancelledError.
    """
    before = task.received_bytes

    def fetch() -> None:
        for have in fetch_rest(remote, part):
            task.check()
            task.received_bytes = before + have

    try:
        with storage_errors_in_words(part):
            part.touch(0o600)
            retry_with_backoff(fetch, task, remote.url)
            accept(remote, part, target)
    except RefusedError as error:
        raise UserError(ErrorKind.FILES_REFUSED, localized("%1: %2.", remote.url, error)) from error
