"""Where the processes of one person and one home meet."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from core.control.place import meeting_place, socket_path


def test_the_place_is_in_the_sessions_folder_and_another_home_has_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with tempfile.TemporaryDirectory() as session:
        monkeypatch.setenv("XDG_RUNTIME_DIR", session)
        here = meeting_place(tmp_path / "home")
        assert here.parent == Path(session)
        assert here != meeting_place(tmp_path / "another")
        assert len(str(socket_path(here))) < 100


@pytest.mark.parametrize("session", ["", "/nonexistent", "x" * 200])
def test_without_a_usable_folder_of_the_session_it_is_in_one_that_nobody_else_can_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, session: str
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", session)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folder = meeting_place(tmp_path).parent
    assert folder == tmp_path / f"workerbee-{os.getuid()}"
    assert folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_another_persons_folder_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    foreign, here = tmp_path / "foreign", tmp_path / "here"
    foreign.mkdir()
    here.mkdir()
    os.chown(foreign, 65534, 65534)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(foreign))
    monkeypatch.setattr(tempfile, "tempdir", str(here))
    assert meeting_place(tmp_path).parent.parent == here
    os.chown(here / f"workerbee-{os.getuid()}", 65534, 65534)
    with pytest.raises(PermissionError):
        meeting_place(tmp_path)
