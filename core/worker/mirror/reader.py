"""The mirror as a newcomer reads it: index, then state, both from strangers, bounded and checked before any use.

Nothing here makes anybody believe in weights: a state from here is used only once a member's round log has led on from
its version, see ``swarm/local_sgd/catch_up.py``. Whatever goes wrong costs some time, and the state comes from a peer.
"""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from torch import Tensor

from core.errors import ErrorKind, UserError
from core.localizable import Detail, localized
from core.records.published.mirror import INDEX_NAME, MAX_INDEX_BYTES
from core.run.spec.data import FileAt
from core.security.verified_download import RefusedError, Remote
from core.worker.delegation.download_limit import downloads
from core.worker.fetch.background_task import BackgroundTask, ProgressListener, run_in_background
from core.worker.fetch.fetcher import fetch_rest
from core.worker.fetch.file_cache import FileCache
from core.worker.fetch.file_store import FileStore, storage_errors_in_words
from core.worker.fetch.retry import retry_with_backoff
from core.worker.mirror.index import MirrorIndex, decode_index
from core.worker.swarm import MirrorUse, check_state_file

PATIENCE_SECONDS = 30.0  # in which nothing has to arrive
MIN_BYTES_PER_SECOND = 125_000.0  # after that, on the average: a line of 1 Mbit/s

log = logging.getLogger(__name__)


class MirrorReader:
    """The mirror at the ``address`` of a folder; ``listener`` hears how the download goes, and why it was in vain.

    A mirror that could not be used is not asked again, so that nobody waits for it twice.
    """

    def __init__(
        self,
        address: str,
        run_id: str,
        store: FileStore,
        listener: ProgressListener,
        patience_seconds: float = PATIENCE_SECONDS,
    ) -> None:
        self._address, self._run_id, self._store = address.rstrip("/"), run_id, store
        self._listener, self._patience_seconds = listener, patience_seconds
        self._fetched: FileAt | None = None
        self._is_useless = False

    def fetch(self, expected: Sequence[Tensor], max_bytes: int) -> Path | None:
        """The file of a state of those shapes, and of no more bytes; ``None`` if there is none that can be used.

        Raises what the listener's ``check`` raises.
        """
        if self._is_useless:
            return None
        impatient = _Impatient(self._listener, self._patience_seconds)
        try:
            return run_in_background(lambda task: self._fetch(expected, max_bytes, impatient.observe(task)), impatient)
        except UserError as error:
            self._give_up(error.detail)
        except (RefusedError, ValueError, OSError, _GaveUpError) as error:
            self._give_up(localized("%1: %2.", self._address, error))
        return None

    def release(self, use: MirrorUse) -> None:
        """Remove the file that was fetched, unless it was not tried yet: then it is there for the next download."""
        if use is not MirrorUse.UNTRIED:
            self._discard()
        if use is MirrorUse.REFUTED:
            self._give_up(localized("%1: no round leads from its state to the present one.", self._address))

    def _discard(self) -> None:
        if self._fetched is not None:
            FileCache(self._store).discard(self._fetched)

    def _give_up(self, why: Detail) -> None:
        self._is_useless = True
        self._discard()
        log.warning("the mirror is not used: %s", why)
        self._listener.warn(ErrorKind.MIRROR_UNUSABLE, why)

    def _fetch(self, expected: Sequence[Tensor], max_bytes: int, task: BackgroundTask) -> Path:
        """Raises UserError, RefusedError, ValueError and OSError for what is not there or not right."""
        index = self._index(task)
        if index.run_id != self._run_id:
            raise ValueError(localized("it is that of another run"))
        if index.size_bytes > max_bytes:
            raise ValueError(localized("its state has %1 bytes, more than any of this run has", index.size_bytes))
        wanted = FileAt(url=f"{self._address}/{index.file}", sha256=index.sha256, size_bytes=index.size_bytes)
        if wanted != self._fetched:
            self._discard()
        path = FileCache(self._store).file(wanted, task)
        self._fetched = wanted
        if check_state_file(path, expected) != index.version:
            raise ValueError(localized("its weights are of another version than its index tells"))
        log.info("the mirror's state is of %d outer steps, epoch %d", index.outer_steps, index.epoch)
        return path

    def _index(self, task: BackgroundTask) -> MirrorIndex:
        remote = Remote.at_most(f"{self._address}/{INDEX_NAME}", MAX_INDEX_BYTES, self._store.guard)
        with tempfile.TemporaryDirectory(dir=self._store.folder("mirror")) as folder:
            part = Path(folder) / INDEX_NAME
            with storage_errors_in_words(part):
                retry_with_backoff(partial(_fetch_whole, remote, part, task), task, remote.url)
                return decode_index(part.read_bytes())


def _fetch_whole(remote: Remote, part: Path, task: BackgroundTask) -> None:
    """Fetch a small file, from its first byte: meanwhile it may be another one."""
    part.unlink(missing_ok=True)
    for _ in fetch_rest(remote, part):
        task.check()


class _GaveUpError(Exception):
    """The mirror does not answer, or too slowly."""


def _minimum_rate() -> float:
    """Bytes a second that it must send; at the owner's limit a peer would be no faster."""
    return downloads().capped(MIN_BYTES_PER_SECOND, 0.5)


class _Impatient:
    """A ProgressListener that ends a download which fails twice in a row, or which a peer would do faster.

    Only the time counts in which the server is asked: none in which another worker of this computer fetches the file,
    or in which it is read.
    """

    def __init__(self, listener: ProgressListener, patience_seconds: float) -> None:
        self._listener, self._patience_seconds = listener, patience_seconds
        self._task: BackgroundTask | None = None
        self._received_bytes = 0
        self._failure = ""

    def observe(self, task: BackgroundTask) -> BackgroundTask:
        """From now on, it is that task which has to be fast; returns it."""
        self._task = task
        return task

    def progress(self, received_bytes: int, total_bytes: int) -> None:
        """Pass it on, and note how much has come."""
        self._received_bytes = received_bytes
        self._listener.progress(received_bytes, total_bytes)

    def check(self) -> None:
        """Raises _GaveUpError, and what the listener raises."""
        self._listener.check()
        if self._failure:
            raise _GaveUpError(self._failure)
        asked_seconds = 0.0 if self._task is None else self._task.asked_seconds
        late_seconds = asked_seconds - self._patience_seconds
        if late_seconds > 0 and self._received_bytes < late_seconds * _minimum_rate():
            raise _GaveUpError("it sends nothing, or too slowly")

    def warn(self, problem: ErrorKind, detail: Detail) -> None:
        """Nothing is tried for a third time."""
        self._failure = "it does not answer"
