"""Wheels from wherever pip is set up to look: fetched by their hashes, unpacked, or made of source."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from core.engine.pythons import PYTHONS

_GLIBCS = (*(f"manylinux_2_{minor}" for minor in range(34, 4, -1)), "manylinux2014", "manylinux2010")
PLATFORMS = [f"--platform={glibc}_x86_64" for glibc in _GLIBCS]


def fetch(requirements: Path, into: Path) -> list[Path]:
    """The wheels of a list with hashes, for every Python that the package serves; each once."""
    for python in PYTHONS:
        choice = ["--only-binary=:all:", f"--python-version={python}", *PLATFORMS]
        _pip("download", "--require-hashes", "--no-deps", *choice, "-d", str(into), "-r", str(requirements))
    return sorted(into.glob("*.whl"))


def make(requirements: Path, into: Path) -> list[Path]:
    """Wheels made of the sources in that list, by the setuptools of this environment."""
    options = ["--require-hashes", "--no-deps", "--no-build-isolation", "--no-cache-dir"]
    _pip("wheel", *options, "-w", str(into), "-r", str(requirements))
    return sorted(into.glob("*.whl"))


def unpack(wheels: Iterable[Path], into: Path) -> None:
    """As an installer would; wheels of one library for several Pythons complete each other."""
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            for member in archive.infolist():
                archive.extract(member, into)


def is_of(wheel: Path, library: str) -> bool:
    """Whether it is a wheel of that library."""
    return wheel.name.split("-")[0].lower() == library


def _pip(*words: str) -> None:
    # The same moment in every build: wheels are archives, and archives keep times.
    quiet: Sequence[str] = ("--quiet", "--disable-pip-version-check", "--no-input")
    command = [sys.executable, "-m", "pip", *words, *quiet]
    subprocess.run(command, check=True, env=os.environ | {"PIP_NO_WARN_CONFLICTS": "1"})
