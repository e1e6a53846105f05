"""Folders that one process at a time holds, by a lock of the operating system that ends with the process."""

from __future__ import annotations

import errno
import itertools
import os
import sys
import time
from pathlib import Path
from typing import TypeVar

from core.errors import ErrorKind, UserError
from core.files.atomic import storage_problem
from core.files.folders import DataFolder
from core.localizable import localized

LOCK_FILE = "lock"
PATIENCE_SECONDS = 5.0  # in which a worker whose client is gone has left its run
_LOOK_SECONDS = 0.05

_held_locks: set[int] = set()


class LockedFolder:
    """A folder that no other process uses for as long as this one lives, or until ``release``."""

    def __init__(self, path: Path, lock: int) -> None:
        self.path = path
        self._lock: int | None = lock

    def release(self) -> None:
        """Let another process lock the folder; the second call does nothing."""
        if self._lock in _held_locks:
            _held_locks.remove(self._lock)
            os.close(self._lock)
        self._lock = None

    def __enter__(self: _Locked) -> _Locked:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


BLOCK_LIST_FILE = "blocked.json"
CONTROL_FILE = "control.json"


class PeerFiles:
    """The files in the folder of one peer: its keys, and what it remembers between starts."""

    KEY_FILES = ("identity.key", "progress.key")

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def identity_path(self) -> Path:
        """The Ed25519 key, as ``Identity.load_or_create`` and p2pd read it."""
        return self.path / self.KEY_FILES[0]

    @property
    def progress_key_path(self) -> Path:
        """The RSA key that signs progress reports, for ``load_or_create_progress_key``."""
        return self.path / self.KEY_FILES[1]

    @property
    def port_file(self) -> Path:
        """The port that this peer listened on last."""
        return self.path / "port"

    @property
    def manifest_file(self) -> Path:
        """The manifest that was published last from here, with its revision."""
        return self.path / "published.json"

    @property
    def succeeded_file(self) -> Path:
        """The signed manifest of a run that was taken over from its organiser, and is led on from here."""
        return self.path / "succeeded.msgpack"

    @property
    def checkpoint_file(self) -> Path:
        """The run's last state that was saved here."""
        return self.path / "checkpoint.safetensors"

    @property
    def collected_experts_folder(self) -> Path:
        """The states of a run's experts that their hosts have sent to its organiser, for the checkpoints beside it."""
        return self.path / "collected-experts"

    @property
    def block_list_file(self) -> Path:
        """The peers that the organiser has blocked; written by the command, read by the worker that publishes."""
        return self.path / BLOCK_LIST_FILE

    @property
    def control_file(self) -> Path:
        """What the organiser asks of all peers; written by commands, read by the worker that publishes."""
        return self.path / CONTROL_FILE

    @property
    def scores_file(self) -> Path:
        """The signed evaluations of the run that was published from here."""
        return self.path / "scores.msgpack"

    @property
    def contributors_file(self) -> Path:
        """Who has agreed to be named in the cards of the run's models; written by the worker that publishes it."""
        return self.path / "contributors.json"

    @property
    def link_file(self) -> Path:
        """The address of the run that was published from here, as one link."""
        return self.path / "link"


class PeerFolder(LockedFolder, PeerFiles):
    """The locked folder of one peer."""


_Locked = TypeVar("_Locked", bound=LockedFolder)


def try_lock(path: Path) -> LockedFolder | None:
    """The folder at ``path``, made if it is not there; ``None`` if a living process holds it. Raises UserError."""
    return _try_lock(path, LockedFolder)


def is_locked(path: Path) -> bool:
    """Whether a living process holds the folder at ``path``; nothing is made there. Raises UserError."""
    if not (path / LOCK_FILE).is_file():
        return False
    locked = try_lock(path)
    if locked is not None:
        locked.release()
    return locked is None


def try_lock_own(path: Path) -> LockedFolder | None:
    """The folder at ``path``, if it is there with a lock file that no living process holds, and this user's own.

    A link is none, whatever it leads to: in the system's temporary folder another user may have put it. Raises OSError.
    """
    lock = _open_own_lock(path)
    if not _lock_or_close(lock):
        return None
    _held_locks.add(lock)
    return LockedFolder(path, lock)


def lock_peer_folder(data: DataFolder) -> PeerFolder:
    """Lock the first of ``peers/1``, ``peers/2``, … that no living process holds; raises UserError.

    So two workers of one person never share an identity, and a restarted one gets its old one back.
    """
    for number in itertools.count(1):
        locked = _try_lock(data.peers / str(number), PeerFolder)
        if locked:
            return locked
    raise AssertionError("numbers do not end")


def lock_organiser_folder(data: DataFolder, run_id: str, patience_seconds: float = PATIENCE_SECONDS) -> PeerFolder:
    """Lock the folder of a run that is published from here; raises UserError if another process does so all the time.

    The worker of a client that was killed says goodbye before it ends; whoever lists runs holds a lock for a moment.
    """
    deadline = time.monotonic() + patience_seconds
    while (locked := _try_lock(data.organiser_of(run_id), PeerFolder)) is None:
        if time.monotonic() >= deadline:
            raise UserError(ErrorKind.ALREADY_PUBLISHING, localized("%1: another process holds its folder.", run_id))
        time.sleep(_LOOK_SECONDS)
    return locked


def _try_lock(path: Path, kind: type[_Locked]) -> _Locked | None:
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(path / LOCK_FILE, os.O_RDWR | os.O_CREAT | _NO_LINK, 0o600)
        if not _lock_or_close(lock):
            return None
    except OSError as error:
        raise storage_problem(error, path) from error
    _held_locks.add(lock)
    return kind(path, lock)


def _lock_or_close(handle: int) -> bool:
    """Whether the open file is locked now; if not, it is closed. Raises OSError."""
    is_locked = False
    try:
        is_locked = _lock_now(handle)
    finally:
        if not is_locked:
            os.close(handle)
    return is_locked


def _release_locks_after_fork() -> None:
    """A forked child (hivemind has several) must not hold its parent's lock after the parent has died."""
    for lock in _held_locks:
        os.close(lock)
    _held_locks.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_release_locks_after_fork)


if sys.platform == "win32":
    import msvcrt

    _NO_LINK = 0

    def _open_own_lock(folder: Path) -> int:
        return os.open(folder / LOCK_FILE, os.O_RDWR)

    def _lock_now(handle: int) -> bool:
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True

else:
    import fcntl

    _NO_LINK = os.O_NOFOLLOW

    def _open_own_lock(folder: Path) -> int:
        """The lock file in that folder, opened; raises OSError for a link, and for what is another user's."""
        place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            if os.fstat(place).st_uid != os.geteuid():
                raise PermissionError(errno.EPERM, "it belongs to another user", str(folder))
            return os.open(LOCK_FILE, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=place)
        finally:
            os.close(place)

    def _lock_now(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
