"""Libraries that a newer engine has unchanged: linked from the engine in use, so that only the others are downloaded.

What a wheel has unpacked is listed in its RECORD, which uv keeps (Python packaging specification, "Recording installed
projects"). Console scripts are left out: they name the old engine's Python, and the worker starts none.
"""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

import msgspec

from core.engine.file_lists import EngineFile, EngineFiles
from core.engine.installed import Engine
from core.files.atomic import link_or_copy

_LEFT_OUT = ("../../../bin/", "../../../share/")


def unchanged_files(engine: Engine | None, files: EngineFiles) -> tuple[EngineFile, ...]:
    """The files whose libraries that engine has whole, by their wheels' hashes and the sizes of what came out of them.

    None of an engine that is made of just these files: who makes that anew wants all of it anew.
    """
    if engine is None or engine.is_of(files):
        return ()
    place = _libraries(engine.folder)
    return tuple(each for each in files.files if each.sha256 in engine.metadata.wheels and _is_whole(place, each))


def fetched_files(files: EngineFiles, reused: Collection[EngineFile]) -> EngineFiles:
    """The files without those that are reused: what is to be downloaded and unpacked."""
    return msgspec.structs.replace(files, files=tuple(each for each in files.files if each not in reused))


def files_to_fetch(engine: Engine | None, files: EngineFiles) -> EngineFiles:
    """Those of the files that are fetched where that engine is in use."""
    return fetched_files(files, unchanged_files(engine, files))


def link_libraries(files: Iterable[EngineFile], old: Path, new: Path) -> None:
    """Link what those wheels have unpacked from one engine's folder into another's, or copy it; raises OSError."""
    begin, end = _libraries(old), _libraries(new)
    for file in files:
        for path, _ in _recorded(begin, file):
            target = end / path
            target.parent.mkdir(parents=True, exist_ok=True)
            link_or_copy(begin / path, target)


def _libraries(folder: Path) -> Path:
    return next((folder / "lib").glob("python3*/site-packages"), folder)


def _recorded(libraries: Path, file: EngineFile) -> Iterator[tuple[str, int | None]]:
    """The files of a library below ``libraries``, with their sizes in bytes where they are told; raises OSError."""
    stem = "-".join(file.name.split("-")[:2])
    with (libraries / f"{stem}.dist-info" / "RECORD").open(encoding="utf-8", newline="") as record:
        for path, _, size in csv.reader(record):
            if not path.startswith(_LEFT_OUT):
                yield path, int(size) if size else None


def _is_whole(libraries: Path, file: EngineFile) -> bool:
    try:
        return all(
            ".." not in Path(path).parts and size in (None, (libraries / path).stat().st_size)
            for path, size in _recorded(libraries, file)
        )
    except (OSError, ValueError):
        return False
