"""Where the listed files can be had: uv asks the indexes that this computer is set up to use."""

from __future__ import annotations

import os
import sys
import threading
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated
from urllib.parse import unquote

import msgspec
from msgspec import Meta

from core.engine.file_lists import EngineFiles
from core.engine.install.uv import run_uv

WHEELS_VARIABLE = "WORKERBEE_WHEELS"
_MAX_BYTES = 4 * 1024 * 1024
FIRST_THAT_HAS_IT = "--index-strategy=unsafe-first-match"
"""uv's option: a version that the first index lacks is looked for in the next; a file's hash decides, not its place."""


class _Wheel(msgspec.Struct):
    url: Annotated[str, Meta(max_length=4096)] = ""
    path: Annotated[str, Meta(max_length=4096)] = ""


class _Package(msgspec.Struct):
    wheels: list[_Wheel] = []


class _Lock(msgspec.Struct):
    packages: list[_Package] = []


def find_sources(files: EngineFiles, uv: Path, work: Path, stop: threading.Event) -> dict[str, str]:
    """The address of each file, by its name; a file that no index has is missing.

    Raises UvFailedError where an index does not answer, and StoppedError. An address is only where
    to ask: the file's hash decides whether it is taken.
    """
    wanted, lock = work / "wanted.txt", work / "pylock.toml"
    lines = [f"{each.library}=={each.version}" for each in files.downloaded]
    wanted.write_text("\n".join(lines) + "\n", "utf-8")
    lock.unlink(missing_ok=True)
    words = ["pip", "compile", "--no-deps", "--only-binary=:all:", "--format=pylock.toml", "--no-annotate"]
    words += ["--python", sys.executable, *_indexes(files), "--output-file", str(lock), str(wanted)]
    run_uv(uv, *words, work=work, stop=stop)
    with lock.open("rb") as opened:
        read = tomllib.loads(opened.read(_MAX_BYTES).decode())
    return dict(_addresses(msgspec.convert(read, _Lock), work))


def _indexes(files: EngineFiles) -> list[str]:
    """A mirror stands in for all of them; the builds for CUDA are where everything else is."""
    mirror = os.environ.get(WHEELS_VARIABLE)
    if mirror:
        return ["--default-index", mirror, "--refresh"]
    if files.index:
        return ["--index", files.index, FIRST_THAT_HAS_IT]
    return ["--torch-backend", "cpu"] if files.build == "cpu" else []


def _addresses(lock: _Lock, work: Path) -> Iterator[tuple[str, str]]:
    for package in lock.packages:
        for wheel in package.wheels:
            address = wheel.url or (work / wheel.path).resolve().as_uri()
            yield unquote(address.rpartition("/")[2]), address
