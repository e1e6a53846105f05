"""What Workerbee keeps of a person, category by category with its size, and how it is deleted for good."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from core.engine.installed import EngineDirectory, is_in_use
from core.errors import ErrorKind, UserError
from core.files.atomic import delete_file, storage_problem, sync_folder
from core.files.disk_space import disk_usage
from core.files.folders import Folders, autostart_file, service_unit_file
from core.files.locks import PeerFolder, is_locked, try_lock
from core.localizable import localized

Category = Literal["engine", "downloads", "runs", "history", "caches", "settings", "logs", "identity"]
"""The categories of what is kept:

- ``engine``: the training engines and what they are made of (some GB);
- ``downloads``: models and data sets that runs have fetched (up to 20 GB);
- ``runs``: manifests, evaluations and checkpoints of runs that were published from here;
- ``history``: curves, contributions, recent runs and their organisers;
- ``caches``: what is only kept to save time, such as the addresses of peers;
- ``settings``: the settings file, the window's place, and what starts Workerbee at login (desktop entry, systemd unit);
- ``logs``: the log files of client and workers;
- ``identity``: the keys by which swarms know this computer.
"""

CATEGORIES: frozenset[Category] = frozenset(get_args(Category))
ALL_BUT_IDENTITY = CATEGORIES - {"identity"}


@dataclass(frozen=True)
class DataCategory:
    """The files and folders of one category, none of which lies in another."""

    category: Category
    paths: tuple[Path, ...]

    @property
    def held_bytes(self) -> int:
        """The length of all files of the category; one that has just gone does not count."""
        return sum(map(disk_usage, self.paths))


def list_user_data(folders: Folders) -> tuple[DataCategory, ...]:
    """Every category of which something is kept."""
    found: dict[Category, list[Path]] = {}
    for category, path in _everything(folders):
        found.setdefault(category, []).append(path)
    return tuple(DataCategory(category, tuple(sorted(paths))) for category, paths in found.items())


def look_up_sizes(folders: Folders, post: Callable[[dict[Category, int]], None]) -> None:
    """Find out in a thread how many bytes each category holds, which may be many files, and post it."""

    def look_up() -> None:
        post({each.category: each.held_bytes for each in list_user_data(folders)})

    threading.Thread(target=look_up, name="user-data", daemon=True).start()


def erase_user_data(folders: Folders, categories: Collection[Category]) -> None:
    """Delete these categories, and the folders that are empty then.

    Raises UserError: STILL_RUNNING while a worker or the service lives, before anything is deleted; or what a disk
    refuses.
    """
    refuse_in_use(folders)
    refuse_beside_service(folders)
    for kept in list_user_data(folders):
        if kept.category in categories:
            for path in kept.paths:
                _delete(path)
    for folder in (folders.settings, folders.data, folders.cache, folders.logs):
        _remove_empty_folders(folder)


def _everything(folders: Folders) -> Iterator[tuple[Category, Path]]:
    places: tuple[tuple[Category, Path], ...] = (
        ("settings", folders.settings),
        ("caches", folders.cache),
        ("logs", folders.logs),
    )
    own = {path for _, path in places} | {folders.data}
    for category, place in places:
        yield from ((category, path) for path in _entries(place) if path not in own)
    for path in _entries(folders.data):
        if path not in own:
            yield from _in_data_folder(folders, path)
    unit = service_unit_file()
    for path in (autostart_file(), unit, unit.parent / "default.target.wants" / unit.name):
        if path.is_file() or path.is_symlink():
            yield "settings", path


def _in_data_folder(folders: Folders, path: Path) -> Iterator[tuple[Category, Path]]:
    data = folders.contents
    whole: dict[Path, Category] = {
        data.engines: "engine",
        data.fetched: "downloads",
        data.peer_cache_file: "caches",
        data.reachability_file: "caches",
        data.uploads_file: "caches",
        data.downloads_file: "caches",
        data.updates_file: "caches",
        data.caches: "caches",
        data.catalogue_key_file: "identity",
    }
    if path == data.peers:
        yield from _beside_keys(path, "caches")
    elif path == data.organiser:
        yield from _beside_keys(path, "runs")
    elif path == data.memory:
        yield from ((whole.get(each, "history"), each) for each in _entries(path))
    else:
        yield whole.get(path, "history"), path


def _beside_keys(folder: Path, category: Category) -> Iterator[tuple[Category, Path]]:
    """The files below a folder of peers: their keys, and whatever else lies beside these."""
    for each in folder.rglob("*"):
        if not each.is_dir() or each.is_symlink():
            yield ("identity" if each.name in PeerFolder.KEY_FILES else category), each


def refuse_in_use(folders: Folders) -> None:
    """Raise UserError, STILL_RUNNING, while a worker lives."""
    if is_in_use(EngineDirectory(folders.data).folder):
        raise UserError(ErrorKind.STILL_RUNNING, localized("A worker runs from the engine."))
    data = folders.contents
    for folder in [*_entries(data.peers), *_entries(data.organiser)]:
        if not folder.is_dir() or folder.is_symlink():
            continue
        locked = try_lock(folder)
        if locked is None:
            raise UserError(ErrorKind.STILL_RUNNING, localized("%1 is held by a worker.", folder))
        locked.release()


def refuse_beside_service(folders: Folders) -> None:
    """Raise UserError, STILL_RUNNING, while the service lives; or what a disk refuses."""
    if is_locked(folders.contents.service_lock):
        raise UserError(
            ErrorKind.STILL_RUNNING, localized("The service runs: `workerbee service remove` stops and removes it.")
        )


def _entries(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []


def _delete(path: Path) -> None:
    try:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
            sync_folder(path.parent)
        else:
            delete_file(path)
    except OSError as error:
        raise storage_problem(error, path) from error


def _remove_empty_folders(folder: Path) -> None:
    below = (each for each in folder.rglob("*") if each.is_dir() and not each.is_symlink())
    for each in [*sorted(below, reverse=True), folder]:
        if each.is_dir() and not any(each.iterdir()):
            each.rmdir()
