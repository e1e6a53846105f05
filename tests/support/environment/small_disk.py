"""A disk that is soon full, and what one keeps when the power is cut."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 110 MB, which only root can make."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=110m,mode=700", "tmpfs", str(place)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("only root can mount a small disk")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)  # whoever still ends holds it for a moment


@pytest.fixture
def fill_disk(small_disk: Path) -> Callable[[], None]:
    """Fills it with a file called ``hog``."""

    def fill() -> None:
        # others may write meanwhile, and then the disk is full a little earlier
        with contextlib.suppress(OSError), (small_disk / "hog").open("wb", buffering=0) as file:
            file.write(bytes(shutil.disk_usage(small_disk).free))

    return fill


@pytest.fixture
def names_on_disk(monkeypatch: pytest.MonkeyPatch) -> dict[Path, set[str]]:
    """By folder, its names when this process synced it last: a power cut may undo what has changed since."""
    names, sync = dict[Path, set[str]](), os.fsync
    if not Path("/proc/self/fd").is_dir():
        pytest.skip("this system does not say which folder is synced")

    def fsync(handle: int) -> None:
        sync(handle)
        place = Path(f"/proc/self/fd/{handle}").readlink()
        if place.is_dir():
            names[place] = {each.name for each in place.iterdir()}

    monkeypatch.setattr(os, "fsync", fsync)
    return names
