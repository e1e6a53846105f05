"""Start at login: the file says what desktops expect, and is gone when nobody wants it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from app.desktop.autostart import autostart_entry, set_autostart
from core.errors import ErrorKind, UserError
from core.files.folders import autostart_file


def test_the_program_is_named_twice_and_starts_minimised() -> None:
    entry = autostart_entry(Path("/usr/bin/workerbee"))
    assert "TryExec=/usr/bin/workerbee\n" in entry
    assert 'Exec="/usr/bin/workerbee" --minimised\n' in entry


@pytest.mark.parametrize(
    ("program", "line"),
    [
        ("/home/me/my apps/workerbee", 'Exec="/home/me/my apps/workerbee" --minimised'),
        ("/100%/workerbee", 'Exec="/100%%/workerbee" --minimised'),
        ('/a"b/workerbee', r'Exec="/a\\"b/workerbee" --minimised'),
        ("/a$b/workerbee", r'Exec="/a\\$b/workerbee" --minimised'),
    ],
)
def test_strange_folders_are_quoted_as_the_specification_says(program: str, line: str) -> None:
    assert line in autostart_entry(Path(program)).splitlines()


def test_it_can_be_wanted_changed_and_not_wanted_any_more() -> None:
    set_autostart(True, program=Path("/usr/local/bin/workerbee"))
    set_autostart(True, program=Path("/usr/bin/workerbee"))
    assert "TryExec=/usr/bin/workerbee\n" in autostart_file().read_text()
    assert stat.S_IMODE(autostart_file().stat().st_mode) == 0o644
    for _ in range(2):
        set_autostart(False)
        assert not autostart_file().exists()


def test_a_folder_that_refuses_is_a_problem_with_its_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("")
    monkeypatch.setitem(os.environ, "XDG_CONFIG_HOME", str(in_the_way))
    with pytest.raises(UserError) as caught:
        set_autostart(True)
    assert caught.value.problem is ErrorKind.FOLDER_NOT_WRITABLE
    assert str(in_the_way) in str(caught.value.detail)
