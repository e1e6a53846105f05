"""Where nobody can tell whether the program is there, it goes on."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from core.files.package_mark import CONFIGURED, PackageMark


@pytest.mark.parametrize("code", [errno.ESTALE, errno.EIO, errno.EACCES, errno.ENOTCONN])
def test_a_file_system_that_does_not_answer_has_removed_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    (tmp_path / "core").mkdir()
    (tmp_path / CONFIGURED).write_text("first")
    mark = PackageMark(tmp_path)

    def refuse(self: Path, **_options: object) -> os.stat_result:
        raise OSError(code, os.strerror(code), str(self))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "stat", refuse)
        assert [mark.is_removed() for _ in range(3)] == [False] * 3
    (tmp_path / "core").rmdir()
    assert [mark.is_removed() for _ in range(2)] == [False, True]
