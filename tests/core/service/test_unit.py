"""The systemd unit: what it says, what systemd itself thinks of it, and words where there is no systemd."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from core.errors import ErrorKind, UserError
from core.service.platform import service_manager
from core.service.unit import unit_text

ODD = "a folder 100% of $HOME"
ODDER = f'{ODD} with "quotes" and \\'  # which systemd allows anywhere but in the path of a program


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
@pytest.mark.parametrize("name", ["bin", ODD])
def test_systemd_finds_nothing_wrong_with_it(tmp_path: Path, name: str) -> None:
    program = tmp_path / name / "workerbee"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    unit = tmp_path / "workerbee.service"
    unit.write_text(unit_text([str(program), "service", "run"], {"WORKERBEE_HOME": str(tmp_path / ODDER)}))
    command = ["systemd-analyze", "verify", "--user", "--man=no", str(unit)]
    runtime = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)}
    said = subprocess.run(command, env=runtime, capture_output=True, text=True, timeout=60)
    assert "workerbee" not in said.stderr, said.stderr
    program.unlink()
    said = subprocess.run(command, env=runtime, capture_output=True, text=True, timeout=60)
    assert f"Command {program} is not executable" in said.stderr, "it has read the command, letter by letter"


def test_where_no_user_manager_answers_there_are_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    silent = tmp_path / "systemctl"
    silent.write_text("#!/bin/sh\necho 'Failed to connect to bus' >&2\nexit 1\n")
    silent.chmod(0o755)
    for path in (str(tmp_path), str(tmp_path / "nowhere")):
        monkeypatch.setenv("PATH", path)
        with pytest.raises(UserError) as caught:
            service_manager()
        assert caught.value.problem is ErrorKind.NO_SERVICE_MANAGER
        assert str(caught.value.detail).endswith(".")


@pytest.mark.parametrize(("platform", "word"), [("darwin", "launchd"), ("win32", "")])
def test_other_systems_are_told_what_to_do_instead(monkeypatch: pytest.MonkeyPatch, platform: str, word: str) -> None:
    monkeypatch.setattr("sys.platform", platform)
    with pytest.raises(UserError) as caught:
        service_manager()
    assert word in str(caught.value.detail)
    assert "workerbee join" in caught.value.problem.value.advice
