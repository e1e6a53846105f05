"""How much room there is for Workerbee's data: on the disk, and within the limit that a person has set."""

from __future__ import annotations

import contextlib
import os
import shutil
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class DiskSpace:
    """``free_bytes`` is ``None`` where nobody knows; ``is_limited`` where it is the limit that ends first."""

    free_bytes: int | None = None
    is_limited: bool = False


def free_space(folder: Path, limit_bytes: int | None) -> DiskSpace:
    """What may still be written into that folder; it never raises."""
    try:
        free = shutil.disk_usage(folder).free
    except OSError:
        return DiskSpace()
    if limit_bytes is None:
        return DiskSpace(free)
    left = max(0, limit_bytes - disk_usage(folder))
    return DiskSpace(left, is_limited=True) if left < free else DiskSpace(free)


def disk_usage(folder: Path) -> int:
    """What its files are long in all; one that cannot be looked at, or has just gone, does not count."""
    held = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                held += Path(place, name).lstat().st_size
    return held
