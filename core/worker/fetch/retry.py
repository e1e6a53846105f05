"""Asks another computer again and again, ever more seldom, as long as somebody waits for the answer."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from core.errors import ErrorKind, UserError
from core.security.verified_download import RefusedError, Remote, UnreachableError, accept, fetch_rest
from core.worker.fetch.background_task import BackgroundTask
from core.worker.fetch.file_store import in_words

FIRST_PAUSE_SECONDS = 1.0
LONGEST_PAUSE_SECONDS = 30.0
WORTH_TELLING = 2  # failures in a row; a single one is nothing

Answer = TypeVar("Answer")

log = logging.getLogger(__name__)


def retry_with_backoff(attempt: Callable[[], Answer], errand: BackgroundTask, what: str) -> Answer:
    """What ``attempt`` gives as soon as it does not raise UnreachableError; a person is told once.

    Raises Abandoned, and whatever else ``attempt`` raises.
    """
    failures = 0
    pause = FIRST_PAUSE_SECONDS
    while True:
        errand.check()
        before = errand.received_bytes
        try:
            return attempt()
        except UnreachableError as error:
            log.info("%s: %s", what, error)
        if errand.received_bytes > before:
            failures, pause = 0, FIRST_PAUSE_SECONDS
        failures += 1
        if failures == WORTH_TELLING:
            errand.warn(ErrorKind.FILES_UNREACHABLE, f"{what}.")
        errand.wait(pause)
        pause = min(2 * pause, LONGEST_PAUSE_SECONDS)


def download(remote: Remote, part: Path, target: Path, errand: BackgroundTask) -> None:
    """Fetch it into ``part``, however often it is cut; whole and verified it becomes ``target``.

    Raises ClientError for what will never be right, and Abandoned.
    """
    before = errand.received_bytes

    def received(have: int) -> None:
        errand.check()
        errand.received_bytes = before + have

    try:
        with in_words(part):
            part.touch(0o600)
            retry_with_backoff(lambda: fetch_rest(remote, part, received), errand, remote.url)
            accept(remote, part, target)
    except RefusedError as error:
        raise UserError(ErrorKind.FILES_REFUSED, f"{remote.url}: {error}.") from error
