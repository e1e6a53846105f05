"""What Workerbee keeps of a person, part by part, and how it is deleted for good."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from core.engine.installed import EngineDirectory, is_in_use
from core.errors import ErrorKind, UserError
from core.files.disk_space import disk_usage
from core.files.folders import Folders, autostart_file, storage_problem, try_lock

Kind = Literal["engine", "runs", "history", "caches", "settings", "logs", "identity"]
"""What trains; published runs and their checkpoints; curves and deeds; …; who this computer is in swarms."""

_IDENTITY_FILES = ("identity.key", "progress.key")


@dataclass(frozen=True)
class DataCategory:
    """One part: its files and folders, none of which lies in another part."""

    kind: Kind
    paths: tuple[Path, ...]

    @property
    def held_bytes(self) -> int:
        """What they are long in all."""
        return sum(disk_usage(path) if path.is_dir() else path.lstat().st_size for path in self.paths)


def list_user_data(folders: Folders) -> tuple[DataCategory, ...]:
    """Everything that is there."""
    found: dict[Kind, list[Path]] = {}
    for kind, path in _everything(folders):
        found.setdefault(kind, []).append(path)
    return tuple(DataCategory(kind, tuple(sorted(paths))) for kind, paths in found.items())


def remove(folders: Folders, *, with_identity: bool) -> None:
    """Delete all of it, but the identity only if that is wished; raises ClientError.

    Nothing is deleted while a worker runs.
    """
    _refuse_in_use(folders)
    for holding in list_user_data(folders):
        if with_identity or holding.kind != "identity":
            for path in holding.paths:
                _delete(path)
    for folder in (folders.settings, folders.data, folders.cache, folders.logs):
        _drop_empty(folder)


def _everything(folders: Folders) -> Iterator[tuple[Kind, Path]]:
    places: tuple[tuple[Kind, Path], ...] = (
        ("settings", folders.settings),
        ("caches", folders.cache),
        ("logs", folders.logs),
    )
    own = {path for _, path in places} | {folders.data}
    for kind, place in places:
        yield from ((kind, path) for path in _entries(place) if path not in own)
    for path in _entries(folders.data):
        if path not in own:
            yield from _of_data(path)
    if autostart_file().is_file():
        yield "settings", autostart_file()


def _of_data(path: Path) -> Iterator[tuple[Kind, Path]]:
    if path.name == "engines":
        yield "engine", path
    elif path.name in ("peers", "organiser"):
        for each in path.rglob("*"):
            if not each.is_dir() or each.is_symlink():
                yield ("identity" if each.name in _IDENTITY_FILES else "runs"), each
    else:
        yield "history", path


def _refuse_in_use(folders: Folders) -> None:
    if is_in_use(EngineDirectory(folders.data).folder):
        raise UserError(ErrorKind.STILL_RUNNING, "A worker runs from the engine.")
    for kind in ("peers", "organiser"):
        for folder in _entries(folders.data / kind):
            if not folder.is_dir() or folder.is_symlink():
                continue
            claimed = try_lock(folder)
            if claimed is None:
                raise UserError(ErrorKind.STILL_RUNNING, f"{folder} is held by a worker.")
            claimed.release()


def _entries(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []


def _delete(path: Path) -> None:
    try:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    except OSError as error:
        raise storage_problem(error, path) from error


def _drop_empty(folder: Path) -> None:
    """With those below it, as far as nothing is left in them."""
    below = (each for each in folder.rglob("*") if each.is_dir() and not each.is_symlink())
    for each in [*sorted(below, reverse=True), folder]:
        if each.is_dir() and not any(each.iterdir()):
            each.rmdir()
