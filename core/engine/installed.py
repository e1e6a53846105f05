"""Installed engines: each in a folder of its own, and one file that names the engine in use."""

from __future__ import annotations

import contextlib
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from core.engine.builds import BuildName
from core.engine.file_lists import EngineFiles
from core.engine.pythons import this_python
from core.errors import ErrorKind, UserError
from core.files.atomic import write_atomically
from core.files.disk_space import disk_usage, free_space
from core.files.folders import DataFolder
from core.files.locks import LOCK_FILE, LockedFolder, try_lock
from core.localizable import localized
from core.schema import Sha256, StrictStruct

_MAX_BYTES = 1 << 18


class EngineMetadata(StrictStruct, kw_only=True, frozen=True):
    """What is written into an engine's folder when all of it is there."""

    build: BuildName
    python: Annotated[str, Meta(max_length=10)]
    fingerprint: Annotated[str, Meta(pattern=r"^[0-9a-f]{16}\Z")]
    wheels: Annotated[tuple[Sha256, ...], Meta(max_length=2000)] = ()
    """The hashes of the wheels that it was made of; an engine of before 2026-11-26 has none."""


@dataclass(frozen=True)
class Engine:
    """An installed engine: its folder and its metadata."""

    folder: Path
    metadata: EngineMetadata

    @property
    def python(self) -> Path:
        """The Python interpreter that runs the worker."""
        return self.folder / "bin" / "python"

    def is_of(self, files: EngineFiles) -> bool:
        """Whether the engine was made of exactly these files, for this Python."""
        return self.metadata.fingerprint == files.fingerprint and self.metadata.python == this_python()


class EngineDirectory:
    """The folder of all engines; a new one is not used before ``activate``."""

    def __init__(self, data: Path) -> None:
        self.folder = DataFolder(data).engines
        self._current = self.folder / "current"

    @property
    def work(self) -> Path:
        """The folder for downloads and for an engine that is being made."""
        return self.folder / "work"

    def try_lock(self) -> LockedFolder:
        """Lock the directory to install or remove engines; raises UserError, ENGINE_BUSY, if another process has it."""
        claimed = try_lock(self.folder)
        if claimed is None:
            raise UserError(ErrorKind.ENGINE_BUSY)
        return claimed

    def engine(self) -> Engine | None:
        """The engine in use; ``None`` if there is none that this Python could run."""
        try:
            name = self._current.read_text("utf-8")[:100]
            folder = self.folder / name.strip()
            metadata = msgspec.json.decode(_head(folder / "engine.json"), type=EngineMetadata)
        except (OSError, ValueError, msgspec.MsgspecError):
            return None
        is_ours = folder.parent == self.folder and metadata.python == this_python()
        return Engine(folder, metadata) if is_ours and (folder / "bin" / "python").is_file() else None

    def new_folder(self, files: EngineFiles) -> Path:
        """The path for a new engine, which no other engine has had; nothing is made."""
        stem = f"{files.build}-{this_python()}-{files.fingerprint[:8]}"
        return self.folder / f"{stem}-{time.time_ns():x}"

    def write_metadata(self, folder: Path, files: EngineFiles) -> EngineMetadata:
        """Write into the folder what engine it holds; raises OSError."""
        wheels = tuple(each.sha256 for each in files.files)
        fingerprint = files.fingerprint
        metadata = EngineMetadata(build=files.build, python=this_python(), fingerprint=fingerprint, wheels=wheels)
        write_atomically(folder / "engine.json", msgspec.json.encode(metadata))
        return metadata

    def activate(self, engine: Engine) -> None:
        """Make this the engine in use. Raises OSError."""
        write_atomically(self._current, engine.folder.name.encode())

    def sweep(self) -> None:
        """Remove engines that are neither current nor in use; whatever cannot be removed stays."""
        current = self.engine()
        kept = {self.folder / "current", self.folder / LOCK_FILE, self.work}
        if current is not None:
            kept.add(current.folder)
        for each in self._entries():
            if each not in kept and not is_in_use(each):
                _remove(each)

    def remove(self) -> None:
        """Remove all engines and downloads; raises UserError, ENGINE_BUSY, while a worker runs from one."""
        for each in self._entries():
            if is_in_use(each):
                raise UserError(ErrorKind.ENGINE_BUSY, localized("A training process runs from it."))
        for each in self._entries():
            if each.name != LOCK_FILE:
                _remove(each)

    @property
    def held_bytes(self) -> int:
        """The disk space that all engines and their downloads take."""
        return disk_usage(self.folder)

    @property
    def free_bytes(self) -> int | None:
        """The free space of the disk that holds the engines, or will hold them; ``None`` where it is not known."""
        nearest = next(each for each in (self.folder, *self.folder.parents) if each.exists())
        return free_space(nearest, None).free_bytes

    def _entries(self) -> list[Path]:
        return list(self.folder.iterdir()) if self.folder.is_dir() else []


def is_in_use(folder: Path) -> bool:
    """Whether a process on this computer was started from a program in that folder."""
    import psutil

    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            words = process.cmdline()
            if words and Path(words[0]).is_relative_to(folder):
                return True
    return False


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_MAX_BYTES)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink()
