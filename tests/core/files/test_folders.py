"""Folders are where the system keeps such things, for their owner only."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from core.errors import ErrorKind, UserError
from core.files.folders import Folders
from tests.support.checkout import ROOT


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    return Folders.below(tmp_path)


def test_folders_follow_the_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKERBEE_HOME", str(tmp_path))
    assert Folders.default() == Folders.below(tmp_path)
    assert Folders.default().settings_file == tmp_path / "settings" / "settings.toml"


def test_without_the_variable_they_are_the_persons_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WORKERBEE_HOME", raising=False)
    folders = Folders.default()
    for folder in (folders.settings, folders.data, folders.cache, folders.logs):
        assert folder.is_absolute()
        assert "workerbee" in folder.parts


def test_prepared_folders_are_for_their_owner_only(folders: Folders) -> None:
    folders.prepare()
    folders.prepare()
    for folder in (folders.settings, folders.data, folders.cache, folders.logs):
        assert folder.stat().st_mode & 0o777 == 0o700
        assert list(folder.iterdir()) == []


def test_a_place_where_no_folder_can_be_is_a_problem_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match=str(tmp_path / "file" / "settings")) as raised:
        Folders.below(tmp_path / "file").prepare()
    assert raised.value.problem is ErrorKind.FOLDER_NOT_WRITABLE


def test_a_read_only_folder_is_a_problem_in_words() -> None:
    """As somebody who may only read it, because root may write everywhere."""
    code = """
import os, sys
from pathlib import Path
from core.files.folders import Folders
from core.errors import UserError
if os.geteuid() == 0:
    os.setuid(65534)
for place in (Folders.below(Path(sys.argv[1])), Folders(*[Path(sys.argv[1])] * 4)):
    try:
        place.prepare()
    except UserError as error:
        print(error.problem.key, error.detail)
"""
    with tempfile.TemporaryDirectory() as home:
        Path(home).chmod(0o555)
        if os.geteuid() == 0:
            os.chown(home, 65534, 65534)
        answer = subprocess.run(
            [sys.executable, "-B", "-c", code, home],
            capture_output=True,
            text=True,
            cwd=ROOT,
        )
    assert answer.stdout.splitlines() == [
        f"folder_not_writable {home}/settings: Permission denied.",
        f"folder_not_writable {home}: Permission denied.",
    ], answer.stderr


@pytest.mark.parametrize("mode", [0o770, 0o702, 0o777])
@pytest.mark.parametrize("name", ["settings", "data", "cache", "logs"])
def test_a_folder_in_which_others_may_write_is_refused(folders: Folders, name: str, mode: int) -> None:
    folders.prepare()
    folder: Path = getattr(folders, name)
    folder.chmod(mode)
    with pytest.raises(UserError) as refused:
        folders.prepare()
    assert refused.value.problem is ErrorKind.FOLDER_SHARED
    assert str(refused.value.detail) == f"{folder} may be written by other users."
    folder.chmod(0o755)
    folders.prepare()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to another user")
def test_a_folder_of_another_user_is_refused(folders: Folders) -> None:
    folders.prepare()
    os.chown(folders.data, 65534, 65534)
    with pytest.raises(UserError) as refused:
        folders.prepare()
    assert refused.value.problem is ErrorKind.FOLDER_SHARED
    assert str(refused.value.detail) == f"{folders.data} belongs to another user."
