"""The person's limit counts as much as the disk's end."""

from __future__ import annotations

import shutil
from pathlib import Path

from core.files.disk_space import DiskSpace, disk_usage, free_space


def test_without_a_limit_the_disk_alone_decides(tmp_path: Path) -> None:
    room = free_space(tmp_path, None)
    assert room.free_bytes is not None and not room.is_limited
    assert abs(room.free_bytes - shutil.disk_usage(tmp_path).free) < 1_000_000_000


def test_of_a_limit_is_left_what_the_folder_does_not_hold_yet(tmp_path: Path) -> None:
    (tmp_path / "runs" / "sums").mkdir(parents=True)
    (tmp_path / "runs" / "sums" / "checkpoint").write_bytes(b"x" * 3000)
    (tmp_path / "history.sqlite").write_bytes(b"x" * 500)
    (tmp_path / "elsewhere").symlink_to("/nonexistent/and/long/enough")
    held = 3500 + len("/nonexistent/and/long/enough")
    assert disk_usage(tmp_path) == held
    assert free_space(tmp_path, 10_000) == DiskSpace(10_000 - held, is_limited=True)
    assert free_space(tmp_path, 1000) == DiskSpace(0, is_limited=True)


def test_a_limit_beyond_the_disk_limits_nothing(tmp_path: Path) -> None:
    assert not free_space(tmp_path, 10**18).is_limited


def test_a_folder_that_is_not_there_is_not_known(tmp_path: Path) -> None:
    assert free_space(tmp_path / "missing", 10_000) == DiskSpace()
