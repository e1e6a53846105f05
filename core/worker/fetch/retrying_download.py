"""A file that a run needs, for whoever waits for it: fetched however often it is cut."""

from __future__ import annotations

from pathlib import Path

from core.errors import ErrorKind, UserError
from core.security.verified_download import RefusedError, Remote, accept, fetch_rest
from core.worker.fetch.background_task import BackgroundTask
from core.worker.fetch.file_store import in_words
from core.worker.fetch.retry import retry_with_backoff


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
