"""Free and used disk space, also within the limit that a person has set for Workerbee's data."""

from __future__ import annotations

import contextlib
import os
import shutil
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class DiskSpace:
    """Free disk space; ``free_bytes`` is ``None`` where not known, ``is_limited`` says that a set limit ends first."""

    free_bytes: int | None = None
    is_limited: bool = False


def free_space(folder: Path, limit_bytes: int | None) -> DiskSpace:
    """The bytes that may still be written into the folder; never raises."""
    try:
        free = shutil.disk_usage(folder).free
    except OSError:
        return DiskSpace()
    if limit_bytes is None:
        return DiskSpace(free)
    left = max(0, limit_bytes - disk_usage(folder))
    return DiskSpace(left, is_limited=True) if left < free else DiskSpace(free)


def disk_usage(path: Path) -> int:
    """The length of the file, or of all in the folder; one that cannot be read, or has just gone, does not count."""
    below = (Path(place, name) for place, _, names in os.walk(path) for name in names)
    held = 0
    for file in below if path.is_dir() else (path,):
        with contextlib.suppress(OSError):
            held += file.lstat().st_size
    return held
