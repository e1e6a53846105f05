"""Workerbee as an installer lays it out: without an engine it says so, and how to get one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from core.engine.sources import WHEELS_VARIABLE
from core.engine.uv import find_uv
from tests.command import ADDRESS

ROOT = Path(__file__).resolve().parents[1]
LIMIT_SECONDS = 120


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What lies in /usr/lib/workerbee, without the libraries."""
    folder = tmp_path_factory.mktemp("workerbee")
    for part in ("app", "core", "resources"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__", "pictures"))
    (folder / "bin").mkdir()
    uv = find_uv()
    assert uv is not None
    (folder / "bin" / "uv").symlink_to(uv)
    return folder


def say(program: Path, home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A command, and what came of it; its index is not there."""
    environment = os.environ | {
        "PYTHONPATH": str(program),
        "WORKERBEE_HOME": str(home),
        WHEELS_VARIABLE: "http://127.0.0.1:9/simple/",
        "UV_HTTP_RETRIES": "0",
    }
    command = [sys.executable, "-P", "-m", "core", *words]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=LIMIT_SECONDS, cwd=home.parent
    )


def test_the_engine_that_could_be_made_is_described(program: Path, tmp_path: Path) -> None:
    said = say(program, tmp_path / "home", "engine")
    assert said.returncode == 0, said.stderr
    assert "has not been made yet. `workerbee engine make` makes it." in said.stdout
    assert "Download " in said.stdout and "needed in" in said.stdout


def test_nothing_trains_without_an_engine_and_it_is_said_what_to_do(program: Path, tmp_path: Path) -> None:
    said = say(program, tmp_path / "home", "join", ADDRESS, "--yes")
    assert said.returncode == 7
    assert "The training engine has not been made yet." in said.stderr
    assert "workerbee engine make" in said.stderr


def test_an_index_out_of_reach_is_a_failure_in_words(program: Path, tmp_path: Path) -> None:
    said = say(program, tmp_path / "home", "engine", "make")
    assert said.returncode == 4, said.stdout + said.stderr
    assert "The download was cut off." in said.stderr
    assert "Traceback" not in said.stderr


def test_a_build_that_is_not_offered_is_refused_in_words(program: Path, tmp_path: Path) -> None:
    said = say(program, tmp_path / "home", "engine", "make", "--build", "rocm")
    assert said.returncode == 7
    assert "It has none for AMD GPUs (ROCm)." in said.stderr


def test_what_is_not_there_can_be_removed(program: Path, tmp_path: Path) -> None:
    said = say(program, tmp_path / "home", "engine", "remove")
    assert said.returncode == 0, said.stderr
    assert said.stdout.startswith("Removed: ")


def test_a_checkout_says_that_it_is_one(tmp_path: Path) -> None:
    said = say(ROOT, tmp_path / "home", "engine")
    assert said.returncode == 0 and "This is a checkout" in said.stdout
    assert say(ROOT, tmp_path / "home", "engine", "make").returncode == 2


def test_the_window_offers_to_make_an_engine_anew_that_does_not_fit(program: Path) -> None:
    code = """
from app.remedies import button_of, remedy_of
from core.problems import Problem
broken = Problem.ENGINE_MISSING
print(remedy_of(Problem.PROTOCOL_MISMATCH), remedy_of(broken), button_of(broken))
"""
    environment = os.environ | {"PYTHONPATH": str(program)}
    command = [sys.executable, "-P", "-c", code]
    said = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=program.parent)
    assert said.stdout.split(maxsplit=2) == ["engine", "engine", "Make the engine anew\n"], said.stderr
