"""Where settings, logs, keys, caches and run data live, and how they are written: whole, or not at all."""

from __future__ import annotations

import errno
import itertools
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote

from core.errors import ErrorKind, UserError

HOME_VARIABLE = "WORKERBEE_HOME"


@dataclass(frozen=True)
class Folders:
    """The four folders of one person; nothing lies anywhere else but the ``autostart_file``."""

    settings: Path
    data: Path
    cache: Path
    logs: Path

    @classmethod
    def default(cls) -> Folders:
        """Where this system keeps such things; all below ``WORKERBEE_HOME`` if that is set."""
        home = os.environ.get(HOME_VARIABLE)
        if home:
            return cls.below(Path(home).expanduser().absolute())
        from platformdirs import PlatformDirs

        system = PlatformDirs("workerbee", appauthor=False)
        return cls(system.user_config_path, system.user_data_path, system.user_cache_path, system.user_log_path)

    @classmethod
    def below(cls, home: Path) -> Folders:
        """All four in one folder."""
        return cls(home / "settings", home / "data", home / "cache", home / "logs")

    @property
    def settings_file(self) -> Path:
        """The volunteer's choices."""
        return self.settings / "settings.toml"

    @property
    def history_file(self) -> Path:
        """The curves of the runs, and what was given to them."""
        return self.data / "history.sqlite"

    @property
    def recent_runs_file(self) -> Path:
        """The runs of before."""
        return self.data / "recent_runs.json"

    @property
    def updates_file(self) -> Path:
        """What is known of newer versions of Workerbee."""
        return self.data / "updates.json"

    def prepare(self) -> None:
        """Make them, for their owner only; raises ClientError with the path of one that cannot be written."""
        for folder in (self.settings, self.data, self.cache, self.logs):
            try:
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                with tempfile.TemporaryFile(dir=folder):
                    pass
            except OSError as error:
                raise storage_problem(error, folder) from error


def autostart_file() -> Path:
    """What makes a desktop start us at login; or would."""
    config = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(config) / "autostart" / "workerbee.desktop"


def storage_problem(error: OSError, path: Path, refused: ErrorKind = ErrorKind.FOLDER_NOT_WRITABLE) -> UserError:
    """What a failed write to ``path`` means to a person: a full disk, or a folder that refuses."""
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    problem = ErrorKind.DISK_FULL if full else refused
    return UserError(problem, f"{path}: {error.strerror or type(error).__name__}.")


def write_atomically(path: Path, data: bytes, mode: int = 0o600) -> None:
    """Replace the file's contents, or leave the old ones whole; raises OSError."""
    with opened_atomically(path, mode) as file:
        file.write(data)


@contextmanager
def opened_atomically(path: Path, mode: int = 0o600) -> Iterator[BinaryIO]:
    """A file to write, which replaces ``path`` when the block ends well and vanishes when it does not."""
    with _temporary_beside(path) as (file, temporary):
        yield file
        _finish(file, mode)
        temporary.replace(path)
    _sync_folder(path.parent)


def create_atomically(path: Path, data: bytes, mode: int = 0o600) -> None:
    """Make a file that is whole from its first moment; raises FileExistsError, and never overwrites."""
    with _temporary_beside(path) as (file, temporary):
        file.write(data)
        _finish(file, mode)
        try:
            os.link(temporary, path)
        except FileExistsError:
            raise
        except OSError as error:  # a file system without hard links, such as FAT
            if os.path.lexists(path):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from error
            temporary.rename(path)
    _sync_folder(path.parent)


def quarantine(path: Path) -> Path:
    """Rename a broken file to ``name.broken-1`` (or the next free number): its new path. Raises OSError."""
    for number in itertools.count(1):
        aside = path.with_name(f"{path.name}.broken-{number}")
        if not os.path.lexists(aside):
            return path.rename(aside)
    raise AssertionError("numbers do not end")


@contextmanager
def _temporary_beside(path: Path) -> Iterator[tuple[BinaryIO, Path]]:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file, Path(name)
    finally:
        Path(name).unlink(missing_ok=True)


def _finish(file: BinaryIO, mode: int) -> None:
    file.flush()
    if os.name == "posix":
        os.fchmod(file.fileno(), mode)
    os.fsync(file.fileno())
    file.close()


def _sync_folder(folder: Path) -> None:
    """Make a rename outlive a power cut, where folders can be synced at all."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)


class PeerFolder:
    """The folder of one peer's keys, locked for as long as this process lives or until ``release``."""

    def __init__(self, path: Path, lock: int) -> None:
        self.path = path
        self._lock: int | None = lock

    @property
    def identity_path(self) -> Path:
        """For ``Identity.load_or_create`` and p2pd."""
        return self.path / "identity.key"

    @property
    def progress_key_path(self) -> Path:
        """For ``load_or_create_progress_key``."""
        return self.path / "progress.key"

    def release(self) -> None:
        """Let another process have it; the second call does nothing."""
        if self._lock in _held_locks:
            _held_locks.remove(self._lock)
            os.close(self._lock)
        self._lock = None

    def __enter__(self) -> PeerFolder:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def claim_peer_folder(data: Path) -> PeerFolder:
    """The first of ``data/peers/1``, ``2``, … that no living process holds.

    So two workers of one person never share an identity, and a restarted one gets its old one back.
    """
    for number in itertools.count(1):
        claimed = try_lock(data / "peers" / str(number))
        if claimed:
            return claimed
    raise AssertionError("numbers do not end")


def claim_organiser_folder(data: Path, run_id: str) -> PeerFolder:
    """``data/organiser/<run_id>``; raises ClientError if this run is published from here already."""
    name = quote(run_id, safe="").replace(".", "%2E")
    claimed = try_lock(data / "organiser" / name)
    if claimed is None:
        raise UserError(ErrorKind.ALREADY_PUBLISHING, f"{run_id}: another process holds its folder.")
    return claimed


_held_locks: set[int] = set()


def _release_locks_after_fork() -> None:
    """A forked child (hivemind has several) must not hold its parent's lock after the parent has died."""
    for lock in _held_locks:
        os.close(lock)
    _held_locks.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_release_locks_after_fork)


def try_lock(folder: Path) -> PeerFolder | None:
    """That folder, made if it is not there; ``None`` if a living process holds it. Raises ClientError."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        if not _lock_now(lock):
            os.close(lock)
            return None
    except OSError as error:
        raise storage_problem(error, folder) from error
    _held_locks.add(lock)
    return PeerFolder(folder, lock)


if sys.platform == "win32":
    import msvcrt

    def _lock_now(handle: int) -> bool:
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True

else:
    import fcntl

    def _lock_now(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
