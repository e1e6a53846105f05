"""The organiser's guide from `run new` to a loaded model, with real processes and no step left out."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.support.cli_process import Result, workerbee

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(900)]

WORKER = [sys.executable, "-P", "-m", "core.worker"]
ONLY_HERE = ("--listen", "/ip4/127.0.0.1/tcp/0", "--device", "cpu", "--threads", "1")


def done(folder: Path, *words: str) -> Result:
    """What came of that command, which must end well."""
    result = workerbee(folder, *words, worker=WORKER, limit_seconds=400)
    assert result.code == 0, result
    return result


def test_a_run_is_written_checked_published_listed_exported_and_loaded(tmp_path: Path) -> None:
    done(tmp_path, "run", "new", "run.toml")
    run_id = tomllib.loads((tmp_path / "run.toml").read_text())["run"]["id"]
    done(tmp_path, "run", "check", "run.toml")
    assert "workerbee://join?" in done(tmp_path, "publish", "run.toml", "--epochs", "1", *ONLY_HERE).out
    (listed,) = map(json.loads, done(tmp_path, "runs", "--json").out.splitlines())
    assert listed["id"] == run_id and listed["epoch"] >= 1 and listed["checkpoints"]
    done(tmp_path, "catalogue", "add", "list.toml", run_id, "run.toml")
    assert f"\n{run_id}: " in done(tmp_path, "catalogue", "show", "list.toml").out
    done(tmp_path, "export", run_id, "--to", "by-name")
    done(tmp_path, "export", "run.toml", "--to", "by-file")
    loaded = subprocess.run(
        [sys.executable, "-B", "model.py", "17", "25"], cwd=tmp_path / "by-name", capture_output=True, check=True
    )
    assert loaded.stdout.strip().isdigit()
    weights = [(tmp_path / each / "model.safetensors").read_bytes() for each in ("by-name", "by-file")]
    assert weights[0] == weights[1]
