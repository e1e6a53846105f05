"""Where a person's engines lie: each in a folder of its own, and one file that says which is used."""

from __future__ import annotations

import contextlib
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from core.engine.file_lists import BuildName, EngineFiles, this_python
from core.errors import ErrorKind, UserError
from core.files.atomic import write_atomically
from core.files.disk_space import disk_usage, free_space
from core.files.folders import DataFolder
from core.files.locks import LOCK_FILE, LockedFolder, try_lock
from core.schema import StrictStruct

_MAX_BYTES = 4096


class EngineMetadata(StrictStruct, kw_only=True, frozen=True):
    """What is written into an engine when all of it is there."""

    build: BuildName
    python: Annotated[str, Meta(max_length=10)]
    fingerprint: Annotated[str, Meta(pattern=r"^[0-9a-f]{16}\Z")]


@dataclass(frozen=True)
class Engine:
    """A finished one."""

    folder: Path
    stamp: EngineMetadata

    @property
    def python(self) -> Path:
        """What runs the worker."""
        return self.folder / "bin" / "python"

    def is_of(self, files: EngineFiles) -> bool:
        """Whether it was made of these."""
        return self.stamp.fingerprint == files.fingerprint and self.stamp.python == this_python()


class EngineDirectory:
    """``data/engines``: nothing in it is used before ``activate``."""

    def __init__(self, data: Path) -> None:
        self.folder = DataFolder(data).engines
        self._current = self.folder / "current"

    @property
    def work(self) -> Path:
        """What an engine is made of while it is made, and what was downloaded for it."""
        return self.folder / "work"

    def try_lock(self) -> LockedFolder:
        """For whoever makes or removes; raises ClientError if somebody else does."""
        claimed = try_lock(self.folder)
        if claimed is None:
            raise UserError(ErrorKind.ENGINE_BUSY)
        return claimed

    def engine(self) -> Engine | None:
        """The one to use; ``None`` if there is none that this Python could run."""
        try:
            name = self._current.read_text("utf-8")[:100]
            folder = self.folder / name.strip()
            stamp = msgspec.json.decode(_head(folder / "engine.json"), type=EngineMetadata)
        except (OSError, ValueError, msgspec.MsgspecError):
            return None
        is_ours = folder.parent == self.folder and stamp.python == this_python()
        return Engine(folder, stamp) if is_ours and (folder / "bin" / "python").is_file() else None

    def new_folder(self, files: EngineFiles) -> Path:
        """A name that no engine has had; nothing is made."""
        stem = f"{files.build}-{this_python()}-{files.fingerprint[:8]}"
        return self.folder / f"{stem}-{time.time_ns():x}"

    def stamp(self, folder: Path, files: EngineFiles) -> EngineMetadata:
        """Say in it what it is. Raises OSError."""
        stamp = EngineMetadata(build=files.build, python=this_python(), fingerprint=files.fingerprint)
        write_atomically(folder / "engine.json", msgspec.json.encode(stamp))
        return stamp

    def activate(self, engine: Engine) -> None:
        """From now on this one. Raises OSError."""
        write_atomically(self._current, engine.folder.name.encode())

    def sweep(self) -> None:
        """Remove what is neither the current one nor in use; whatever cannot be removed stays."""
        current = self.engine()
        kept = {self.folder / "current", self.folder / LOCK_FILE, self.work}
        if current is not None:
            kept.add(current.folder)
        for each in self._entries():
            if each not in kept and not is_in_use(each):
                _remove(each)

    def remove(self) -> None:
        """All of it, downloads too; raises ClientError while a worker runs from it."""
        for each in self._entries():
            if is_in_use(each):
                raise UserError(ErrorKind.ENGINE_BUSY, "A training process runs from it.")
        for each in self._entries():
            if each.name != LOCK_FILE:
                _remove(each)

    @property
    def held_bytes(self) -> int:
        """What all of it takes on the disk."""
        return disk_usage(self.folder)

    @property
    def free_bytes(self) -> int | None:
        """What may still be written where it lies, or will lie; ``None`` where that is not known."""
        nearest = next(each for each in (self.folder, *self.folder.parents) if each.exists())
        return free_space(nearest, None).free_bytes

    def _entries(self) -> list[Path]:
        return list(self.folder.iterdir()) if self.folder.is_dir() else []


def is_in_use(folder: Path) -> bool:
    """Whether a process of this computer was started from there."""
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
