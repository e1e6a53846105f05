"""The package on a system whose Python is newer than Workerbee: another one is looked for, or the lack is said."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from app.desktop.other_python import find_python
from core.engine.pythons import PYTHONS
from tests.support.checkout import ROOT

LIMIT_SECONDS = 60
OLDEST, NEWEST = PYTHONS[0], PYTHONS[-1]


def stand_in(folder: Path, version: str, tells: str) -> Path:
    """A Python of that name, which tells that version when it is asked, and else what it was given."""
    path = folder / f"python{version}"
    path.write_text(f'#!/bin/sh\nif [ "$2" = -c ]; then echo {tells}; else echo "$@"; fi\n')
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(("tells", "found"), [(NEWEST, NEWEST), ("", OLDEST), ("2.7", OLDEST)])
def test_the_newest_python_that_runs_is_found(tmp_path: Path, tells: str, found: str) -> None:
    stand_in(tmp_path, NEWEST, tells)
    stand_in(tmp_path, OLDEST, OLDEST)
    assert find_python(str(tmp_path)) == str(tmp_path / f"python{found}")


def launched(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """The package's launcher, in a system with a Python for which the package has no libraries."""
    home, pythons = folder / "lib", folder / "bin"
    pythons.mkdir(exist_ok=True)
    for name in ("app", "core"):
        shutil.copytree(ROOT / name, home / name, ignore=shutil.ignore_patterns("__pycache__"))
    known = home / "core" / "engine" / "pythons.py"
    known.write_text(known.read_text().replace('"3.', '"4.'))
    looked_in = home / "app" / "desktop" / "other_python.py"
    looked_in.write_text(looked_in.read_text().replace("/usr/bin:/usr/local/bin", str(pythons)))
    launcher = folder / "workerbee"
    launcher.write_text(
        (ROOT / "installer/package/files/workerbee").read_text().replace("/usr/lib/workerbee", str(home))
    )
    command = [sys.executable, "-I", str(launcher), *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_SECONDS, env={"PATH": "/nowhere"})


def test_the_launcher_goes_on_with_a_python_that_it_has_libraries_for(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    stand_in(tmp_path / "bin", "4.13", "4.13")
    done = launched(tmp_path, "join", "two words")
    assert (done.returncode, done.stdout) == (0, f"-I {tmp_path / 'workerbee'} join two words\n")


def test_the_launcher_says_what_is_missing(tmp_path: Path) -> None:
    done = launched(tmp_path)
    assert done.returncode == 7
    assert done.stderr.count("\n") == 1
    assert "made for Python 4.11 to 4.14" in done.stderr and "install one of them" in done.stderr
