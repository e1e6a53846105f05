"""The engine's wheels, fetched once from wherever pip is set up to look, to be served on loopback."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec

from core.engine.builds import BuildName
from core.engine.file_lists import FOLDER, EngineFile, EngineFiles
from installer.package.wheels import PLATFORMS


def fetch(build: BuildName, python: str, folder: Path) -> Path:
    """The folder that has all of them."""
    folder.mkdir(parents=True, exist_ok=True)
    listed = msgspec.json.decode((FOLDER / f"{build}.json").read_bytes(), type=EngineFiles)
    missing = [each for each in listed.for_python(python).downloaded if not (folder / each.name).is_file()]
    if missing:
        _download(missing, python, folder)
    return folder


def _download(files: list[EngineFile], python: str, folder: Path) -> None:
    wanted = folder / "wanted.txt"
    wanted.write_text("".join(f"{each.requirement}\n" for each in files), "utf-8")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes"]
    command += ["--only-binary=:all:", f"--python-version={python}", *PLATFORMS]
    subprocess.run([*command, "-d", str(folder), "-r", str(wanted)], check=True)
