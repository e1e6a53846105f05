"""Temporary folders: every worker has its own, and the dead leave none."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from core.scratch import claim_scratch, sweep_scratch

_KEEP = """
import sys, tempfile
tempfile.tempdir = sys.argv[1]
from core.scratch import claim_scratch
claimed = claim_scratch()
(claimed.path / "socket").touch()
print(claimed.path, flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def own_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))


def test_what_a_killed_process_left_is_swept(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _KEEP, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout is not None
        left = Path(other.stdout.readline().strip())
        sweep_scratch()
        assert (left / "socket").exists(), "its owner lives"
        other.kill()
    sweep_scratch()
    assert not left.exists()


def test_our_own_folder_and_what_is_none_of_ours_stay(tmp_path: Path) -> None:
    foreign = tmp_path / "workerbee-scratch-without-a-lock"
    foreign.mkdir()
    with claim_scratch() as own:
        sweep_scratch()
        assert own.path.exists()
        assert foreign.exists()
