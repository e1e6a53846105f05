"""The folder for what runs fetch, with the volunteer's disk quota."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from core.errors import ErrorKind, UserError
from core.files.atomic import storage_problem
from core.files.disk_space import free_space
from core.files.folders import DataFolder
from core.files.locks import LockedFolder, try_lock
from core.localizable import localized
from core.security.address_guard import AddressGuard
from core.worker.fetch.background_task import BackgroundTask, ProgressListener

_SPARE_BYTES = 100_000_000  # so that checkpoints and logs go on being written
_GIGABYTE = 1e9
_POLL_SECONDS = 0.5


@dataclass(frozen=True)
class FileStore:
    """``home`` holds all of Workerbee's data; ``limit_bytes`` is what the volunteer gives it, if told.

    Where a stranger has named the files, a ``guard`` says where they may come from.
    """

    home: Path
    limit_bytes: int | None = None
    guard: AddressGuard | None = None

    def folder(self, name: str) -> Path:
        """The subfolder of that name, made if it is not there; raises UserError where it cannot be made."""
        folder = DataFolder(self.home).fetched / name
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise storage_problem(error, folder) from error
        return folder

    def has_room_for(self, needed_bytes: int) -> bool:
        """Whether so many bytes may still be written, within the quota and the free disk space."""
        free = free_space(self.home, self.limit_bytes).free_bytes
        return free is None or free >= needed_bytes + _SPARE_BYTES

    def require_room(self, needed_bytes: int, what: str) -> None:
        """Raise UserError where there is no room for so many bytes of ``what``, before anything is fetched.

        DISK_FULL where the disk has too little, which may pass; NO_ROOM where it is the volunteer's limit, or no disk
        of that size ever has so much.
        """
        if self.has_room_for(needed_bytes):
            return
        room = free_space(self.home, self.limit_bytes)
        needed, left = (f"{each / _GIGABYTE:.2f}" for each in (needed_bytes + _SPARE_BYTES, room.free_bytes or 0))
        if room.is_limited:
            words = localized("%1 needs %2 GB; %3 GB of your limit are left.", what, needed, left)
            raise UserError(ErrorKind.NO_ROOM, words)
        words = localized("%1 needs %2 GB; %3 GB are free in %4.", what, needed, left, self.home)
        is_too_small = needed_bytes + _SPARE_BYTES > shutil.disk_usage(self.home).total
        raise UserError(ErrorKind.NO_ROOM if is_too_small else ErrorKind.DISK_FULL, words)


@contextmanager
def storage_errors_in_words(path: Path) -> Iterator[None]:
    """A context in which an OSError becomes a UserError that names ``path``."""
    try:
        yield
    except OSError as error:
        raise storage_problem(error, path) from error


def lock_alone(folder: Path, task: BackgroundTask) -> LockedFolder:
    """Lock that folder, made if it is not there, as soon as no other worker holds it."""
    while (claimed := try_lock(folder)) is None:
        task.wait(_POLL_SECONDS)
    return claimed


@dataclass(frozen=True)
class FetchContext:
    """Where fetched files are kept, and who hears of their download."""

    store: FileStore
    listener: ProgressListener
