"""The cache of a run's files on this computer, bounded in size; the least recently used are evicted."""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path

from core.files.disk_space import disk_usage
from core.files.locks import try_lock
from core.run.spec.data import KEPT_BYTES, FileAt
from core.security.verified_download import Remote
from core.worker.fetch.background_task import BackgroundTask
from core.worker.fetch.file_store import FileStore, lock_alone, storage_errors_in_words
from core.worker.fetch.retry import download

_PART = "part"


class FileCache:
    """Verified files, named by their SHA-256; a new file evicts those that were read longest ago."""

    def __init__(self, store: FileStore) -> None:
        self._store, self._folder = store, store.folder("files")

    def file(self, wanted: FileAt, task: BackgroundTask) -> Path:
        """The path of that file, fetched if it is not cached; raises UserError."""
        path = self._folder / wanted.sha256
        if not self._holds(wanted):
            self._evict_for(wanted)
            task.total_bytes += wanted.size_bytes
            self._fetch(wanted, path, task)
        with storage_errors_in_words(path):
            os.utime(path)
        return path

    def discard(self, wanted: FileAt) -> None:
        """Remove that file, which nobody will want again; where the disk refuses, it is evicted some day."""
        with contextlib.suppress(OSError):
            (self._folder / wanted.sha256).unlink(missing_ok=True)

    def _fetch(self, wanted: FileAt, path: Path, task: BackgroundTask) -> None:
        """Fetch it under a lock, or wait for another worker that is fetching it now."""
        place = self._partial_folder(wanted)
        with lock_alone(place, task):
            if not self._holds(wanted):
                remote = Remote(wanted.url, wanted.size_bytes, wanted.sha256, guard=self._store.guard)
                download(remote, place / _PART, path, task)
            shutil.rmtree(place, ignore_errors=True)

    def _partial_folder(self, wanted: FileAt) -> Path:
        return self._folder / f"{wanted.sha256}.part"

    def _holds(self, wanted: FileAt) -> bool:
        path = self._folder / wanted.sha256
        return path.is_file() and path.stat().st_size == wanted.size_bytes

    def _partial_bytes(self, wanted: FileAt) -> int:
        part = self._partial_folder(wanted) / _PART
        return part.stat().st_size if part.exists() else 0

    def _evict_for(self, wanted: FileAt) -> None:
        needed = wanted.size_bytes - self._partial_bytes(wanted)
        for other in self._least_recently_used(wanted):
            is_full = self._held_bytes() + needed > KEPT_BYTES
            if not is_full and self._store.has_room_for(needed):
                break
            _remove(other)
        self._store.require_room(needed, wanted.url)

    def _least_recently_used(self, wanted: FileAt) -> list[Path]:
        others = [path for path in self._folder.iterdir() if not path.name.startswith(wanted.sha256)]
        return sorted(others, key=lambda path: path.stat().st_mtime)

    def _held_bytes(self) -> int:
        return disk_usage(self._folder)


def _remove(path: Path) -> None:
    """Remove a file, or a partial one that no other worker is fetching."""
    if not path.is_dir():
        path.unlink(missing_ok=True)
    elif claimed := try_lock(path):
        with claimed:
            shutil.rmtree(path, ignore_errors=True)
